def add(a, b)
  total = a + b # @add
  total # @return
end

def fact(n)
  if n <= 1
    return 1 # @base
  end
  n * fact(n - 1) # @recur
end

def work
  total = 0
  10.times do |i|
    total = total + add(i, 1) # @loop
  end
  five = fact(5) # @fact
  puts "total #{total} fact #{five}" # @print
end

def spin
  ticks = 0
  loop do
    ticks = ticks + 1 # @tick
    sleep 0.02
  end
end

$stdout.sync = true
case ARGV[0]
when "work"
  work
when "quick"
  puts "bye"
  exit 3
when "environment"
  puts "variable #{ENV["PROBE"]} in #{File.basename(Dir.pwd)} with #{ARGV[1..]}"
when "fork"
  puts "child #{spawn("sleep", "1000")}"
  spin
end
