export { readText, type TextRead, type TextReader } from '../tool.ts'
