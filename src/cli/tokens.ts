import type { Io } from '../capability.ts'
import { systemClock } from '../platform.ts'
import type { MadeToken, NamedTokens, RowPlace } from '../runtime.ts'
import { findHomeStore, withStore, withWritableStore } from './open-store.ts'

/** Works with the named tokens of a home, beside a running gateway, too: it reads the file again by itself. */
export async function withNamedTokens<T>(
  home: string,
  io: Pick<Io, 'environment'>,
  work: (named: NamedTokens) => T | Promise<T>,
  { reads = false }: { readonly reads?: boolean } = {},
): Promise<T> {
  const [{ createHome, homeAt, openGatewayTokens }, { randomBytes }] = await Promise.all([
    import('../runtime.ts'),
    import('node:crypto'),
  ])
  const found = await findHomeStore(home, io)
  const open = async (store: RowPlace['store']) => {
    const tokens = openGatewayTokens({ home, clock: systemClock, random: randomBytes, store })
    await tokens.ready
    try {
      return await work(tokens.named)
    } finally {
      tokens.close()
    }
  }
  if (found.database) return reads ? withStore(found, open, () => open(nothing)) : withWritableStore(found, open)
  return open({
    value: async () => undefined,
    async transaction(writes) {
      await createHome(homeAt(home))
      return withWritableStore(found, (store) => store.transaction(writes))
    },
  })
}

/** A database that nothing was ever written to. */
const nothing: RowPlace['store'] = {
  value: async () => undefined,
  transaction: () => Promise.reject(new Error('a list that is only read was changed')),
}

export function makeToken(
  home: string,
  io: Pick<Io, 'environment'>,
  draft: Parameters<NamedTokens['make']>[0],
): Promise<MadeToken> {
  return withNamedTokens(home, io, (named) => named.make(draft, 'cli'))
}
