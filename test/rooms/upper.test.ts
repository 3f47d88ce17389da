import { rooms, runTestsOf } from './tests-of.ts'

await runTestsOf(rooms.upper)
