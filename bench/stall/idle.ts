/** Does nothing. Its pauses come from the machine alone and are the floor of the benchmark. */
process.stdout.write('idle\n')
setInterval(() => {}, 60_000)
process.on('SIGTERM', () => process.exit())
