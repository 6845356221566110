#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
#include <libgen.h>
#include <unistd.h>

int add(int a, int b) {
    int total = a + b;  // @add
    return total;  // @return
}

int fact(int n) {
    if (n <= 1)
        return 1;  // @base
    return n * fact(n - 1);  // @recur
}

struct Point {
    int x, y;
};

int work() {
    std::vector<int> numbers(1000);
    for (int k = 0; k < 1000; k++) numbers[k] = k;
    const char *text = "héllo 世界";
    Point point{1, 2};
    int total = 0;
    for (int i = 0; i < 10; i++) {
        total = total + add(i, 1);  // @loop
    }
    int five = fact(5);  // @fact
    printf("total %d fact %d %s %zu %d\n", total, five, text, numbers.size(), point.x);  // @print
    return total;
}

void fail(const std::string &message) {
    throw std::runtime_error(message);  // @throw
}

void caught() {
    try {
        fail("inner");
    } catch (const std::exception &error) {
        printf("caught %s\n", error.what());  // @caught
    }
}

std::atomic<int> waiting{3};

void worker(int n) {
    int own = n * 10;  // @worker
    waiting--;
    while (waiting > 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    own++;  // @worked
}

void threads() {
    std::vector<std::thread> all;
    for (int n = 0; n < 3; n++) all.emplace_back(worker, n);
    for (auto &one : all) one.join();
    printf("joined %zu\n", all.size());
}

void spin(const char *heartbeat) {
    long ticks = 0;
    for (;;) {
        ticks = ticks + 1;  // @tick
        if (heartbeat != nullptr) {
            FILE *file = fopen(heartbeat, "w");
            fprintf(file, "%ld", ticks);
            fclose(file);
        }
        usleep(20000);
    }
}

int main(int argc, char **argv) {
    std::string mode = argv[1];
    if (mode == "work") {
        work();
    } else if (mode == "throw") {
        fail("boom");
    } else if (mode == "caught") {
        caught();
    } else if (mode == "print") {
        for (int n = 0; n < 20000; n++) printf("line %06d %s\n", n, std::string(98, 'x').c_str());
    } else if (mode == "quick") {
        puts("bye");
        return 3;
    } else if (mode == "crash") {
        volatile int *nowhere = nullptr;
        *nowhere = 1;  // @crash
    } else if (mode == "fork") {
        pid_t child = fork();
        if (child == 0) {
            setsid();
            execlp("sleep", "sleep", "1000", nullptr);
        }
        printf("child %d\n", child);
        fflush(stdout);
        spin(nullptr);
    } else if (mode == "wait") {
        FILE *pipe = popen("echo $((6 * 7))", "r");
        int answer = 0;
        if (fscanf(pipe, "%d", &answer) != 1) return 1;
        pclose(pipe);
        printf("child said %d\n", answer);
    } else if (mode == "unended") {
        printf("the last line has no end");
    } else if (mode == "stdin") {
        char buffer[100] = "";
        size_t length = fread(buffer, 1, 99, stdin);
        printf("read '%.*s'\n", (int)length, buffer);
    } else if (mode == "threads") {
        threads();
    } else if (mode == "environment") {
        char cwd[4096];
        const char *variable = getenv("PROBE");
        printf("variable %s in %s with [%s]\n", variable ? variable : "none", basename(getcwd(cwd, sizeof cwd)), argc > 2 ? argv[2] : "");
    } else if (mode == "spin") {
        printf("spinning %d\n", getpid());
        fflush(stdout);
        spin(argc > 2 ? argv[2] : nullptr);
    }
    return 0;
}
