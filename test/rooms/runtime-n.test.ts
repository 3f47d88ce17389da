import { testsOf } from './tests-of.ts'

await testsOf('runtime-n')
