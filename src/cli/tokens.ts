import type { Io } from '../capability.ts'
import { systemClock } from '../platform.ts'
import type { MadeToken, NamedTokens } from '../runtime.ts'
import { findHomeStore, withWritableStore } from './open-store.ts'

/** Works with the named tokens of a home, beside a running gateway, too: it reads the file again by itself. */
export async function withNamedTokens<T>(
  home: string,
  io: Pick<Io, 'environment'>,
  work: (named: NamedTokens) => T | Promise<T>,
): Promise<T> {
  const [{ createHome, homeAt, openNamedTokens }, { randomBytes }] = await Promise.all([
    import('../runtime.ts'),
    import('node:crypto'),
  ])
  const found = await findHomeStore(home, io)
  return await work(
    openNamedTokens({
      home,
      clock: systemClock,
      random: randomBytes,
      store: {
        async transaction(writes) {
          await createHome(homeAt(home))
          return withWritableStore(found, (store) => store.transaction(writes))
        },
      },
    }),
  )
}

/** Makes a named token for a person at this terminal. */
export function makeToken(
  home: string,
  io: Pick<Io, 'environment'>,
  draft: Parameters<NamedTokens['make']>[0],
): Promise<MadeToken> {
  return withNamedTokens(home, io, (named) => named.make(draft, 'cli'))
}
