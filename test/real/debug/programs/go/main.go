package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

func add(a, b int) int {
	total := a + b // @add
	return total   // @return
}

func fact(n int) int {
	if n <= 1 {
		return 1 // @base
	}
	return n * fact(n-1) // @recur
}

type point struct{ x, y int }

func work() int {
	numbers := make([]int, 1000)
	for i := range numbers {
		numbers[i] = i
	}
	text := "héllo 世界"
	where := point{1, 2}
	total := 0
	for i := 0; i < 10; i++ {
		total = total + add(i, 1) // @loop
	}
	five := fact(5)                                                             // @fact
	fmt.Println("total", total, "fact", five, text, len(numbers), where.x+where.y-2) // @print
	return total
}

func fail(message string) {
	panic(fmt.Errorf("failure: %s", message)) // @throw
}

func caught() {
	defer func() {
		fmt.Println("caught", recover()) // @caught
	}()
	fail("inner")
}

func worker(n int, gate, done *sync.WaitGroup) {
	own := n * 10 // @worker
	gate.Done()
	gate.Wait()
	_ = own // @worked
	done.Done()
}

func threads() {
	var gate, done sync.WaitGroup
	gate.Add(3)
	done.Add(3)
	for n := 0; n < 3; n++ {
		go worker(n, &gate, &done)
	}
	done.Wait()
	fmt.Println("joined", 3)
}

func spin(heartbeat string) {
	ticks := 0
	for {
		ticks = ticks + 1 // @tick
		if heartbeat != "" {
			os.WriteFile(heartbeat, []byte(fmt.Sprint(ticks)), 0o644)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func main() {
	switch os.Args[1] {
	case "work":
		work()
	case "throw":
		fail("boom")
	case "caught":
		caught()
	case "print":
		for n := 0; n < 20000; n++ {
			fmt.Printf("line %06d %s\n", n, strings.Repeat("x", 98))
		}
	case "quick":
		fmt.Println("bye")
		os.Exit(3)
	case "crash":
		var nowhere *point
		fmt.Println(nowhere.x) // @crash
	case "fork":
		child := exec.Command("sleep", "1000")
		child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		child.Start()
		fmt.Println("child", child.Process.Pid)
		spin("")
	case "wait":
		out, _ := exec.Command("sh", "-c", "echo $((6 * 7))").Output()
		fmt.Println("child said", strings.TrimSpace(string(out)))
	case "unended":
		fmt.Print("the last line has no end")
	case "stdin":
		all, _ := io.ReadAll(os.Stdin)
		fmt.Printf("read '%s'\n", all)
	case "threads":
		threads()
	case "environment":
		cwd, _ := os.Getwd()
		fmt.Println("variable", os.Getenv("PROBE"), "in", filepath.Base(cwd), "with", os.Args[2:])
	case "spin":
		fmt.Println("spinning", os.Getpid())
		heartbeat := ""
		if len(os.Args) > 2 {
			heartbeat = os.Args[2]
		}
		spin(heartbeat)
	}
}
