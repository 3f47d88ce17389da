/** Exchanges the token of the gateway for its cookie. Returns whether the token was right. */
export async function signIn(token: string): Promise<boolean> {
  const { type } = await fetch(`/?token=${encodeURIComponent(token.trim())}`, { redirect: 'manual' })
  return type === 'opaqueredirect'
}
