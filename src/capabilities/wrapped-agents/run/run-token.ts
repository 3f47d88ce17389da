import { makeToken, withNamedTokens } from '../../../cli.ts'

/** How long it is valid where nothing revokes it, because the run was killed. */
const LONGEST_RUN = '7d'

/**
 * A token of the scope `talk`. Its name is the first of `wrap-NAME`, `wrap-NAME-2` … that is free, so that the calls
 * of one run after another have the same name.
 */
export async function makeRunToken(program: string, home: string) {
  const taken = new Set(await withNamedTokens(home, (named) => named.list().map(({ name }) => name.toLowerCase())))
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? `wrap-${program}` : `wrap-${program}-${number}`
    if (taken.has(name)) continue
    try {
      const { token } = await makeToken(home, { name, scope: 'talk', expires: LONGEST_RUN })
      const revoke = () => withNamedTokens(home, (named) => named.revoke(name, 'cli'))
      return { name, value: token, revoke: async () => void (await revoke()) }
    } catch (error) {
      // Another run was faster.
      if (!(error instanceof Error && 'code' in error && error.code === 'exists')) throw error
      taken.add(name)
    }
  }
}
