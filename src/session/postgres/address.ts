/** Whether a text is the address of a PostgreSQL database. */
export function isPostgresAddress(text: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(text)
}

/** An address as errors, logs and pages may show it. */
export function addressWithoutPassword(address: string): string {
  return address.replace(/^([a-z]+:\/\/[^/@]*?):.*@(?=[^@]*$)/, '$1:***@').replace(/([?&]password=)[^&]*/g, '$1***')
}
