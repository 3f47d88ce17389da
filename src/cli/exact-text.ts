export { argvText, exactLine, exactLines, lookAlikes } from '../context.ts'
