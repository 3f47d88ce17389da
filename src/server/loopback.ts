/** Whether a host name, as in a `Host` header without its port or in a `bind` option, can only mean this machine. */
export function isLoopback(name: string): boolean {
  const plain = name.replace(/^\[|\]$/g, '').toLowerCase()
  return plain === 'localhost' || plain === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(plain)
}

/** The shortest token that keeps others out of an address that they can reach, characters. */
const SHORTEST_TOKEN = 24

/** Prints 32 random bytes as 43 characters. */
const MAKES_A_TOKEN = `node -p 'crypto.randomBytes(32).toString("base64url")'`

/** Throws where an address that others can reach would be open: without a token, or with one that can be guessed. */
export function assertBindIsSafe(bind: string, token: string | undefined): void {
  if (isLoopback(bind)) return
  const { length } = token ?? ''
  if (length === 0) {
    throw new Error(
      `The gateway will not listen on ${bind} without a token: anybody who reaches that address could read and write ` +
        'everything. Set gateway.token (FOREWORD_GATEWAY_TOKEN), or bind to 127.0.0.1.',
    )
  }
  if (length < SHORTEST_TOKEN) {
    throw new Error(
      `The gateway will not listen on ${bind} with a token of ${length} characters: others can reach that address, and ` +
        `try one after another. Leave gateway.token (FOREWORD_GATEWAY_TOKEN) out and remove data/token of the home: the ` +
        `gateway then makes a good one itself. Or set one of at least ${SHORTEST_TOKEN} characters: \`${MAKES_A_TOKEN}\` prints one.`,
    )
  }
}
