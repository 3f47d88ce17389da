import { tellProcessorTime } from './child.ts'

// Imported before the program that is measured. Its own end is not held up.
tellProcessorTime()
process.channel?.unref()
