/** Whether a host name, as in a `Host` header without its port or in a `bind` option, can only mean this machine. */
export function isLoopback(name: string): boolean {
  const plain = name.replace(/^\[|\]$/g, '').toLowerCase()
  return plain === 'localhost' || plain === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(plain)
}

/** Throws where an address that others can reach would stand open without a token. */
export function assertBindIsSafe(bind: string, token: string | undefined): void {
  if (token !== undefined && token !== '') return
  if (isLoopback(bind)) return
  throw new Error(
    `The gateway will not listen on ${bind} without a token: anybody who reaches that address could read and write ` +
      'everything. Set gateway.token (FOREWORD_GATEWAY_TOKEN), or bind to 127.0.0.1.',
  )
}
