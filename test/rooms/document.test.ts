import { testsOf } from './tests-of.ts'

await testsOf('document')
