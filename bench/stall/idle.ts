/** Does nothing. What keeps it waiting is the machine: the floor of the bench. */
process.stdout.write('idle\n')
setInterval(() => {}, 60_000)
process.on('SIGTERM', () => process.exit())
