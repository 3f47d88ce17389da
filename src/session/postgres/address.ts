export { publicAddress as addressWithoutPassword } from '../../platform.ts'

/** Whether a text is the address of a PostgreSQL database. */
export function isPostgresAddress(text: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(text)
}
