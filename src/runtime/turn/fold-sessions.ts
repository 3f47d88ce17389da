import type { Clock, FoldedSession, Preview, PreviewOptions } from '../../capability.ts'
import { cutSums } from '../../context.ts'
import { defined } from '../../platform.ts'
import type { SessionStore } from '../../session.ts'
import { sessionNotFound, programOf } from '../sessions/not-found.ts'

interface FoldParts {
  readonly store: Pick<SessionStore, 'session' | 'sessions' | 'append' | 'entries'>
  readonly clock: Clock
  /** The next call of a session; with `composes` as if its head were composed again. */
  readonly preview: (options: PreviewOptions & { readonly composes?: boolean }) => Promise<Preview>
}

/** A cache that lives longer is known of no provider: the heads of sessions that were silent longer are composed anyway. */
const LONGEST_LIFE_MS = 24 * 3_600_000

const MOST_SESSIONS = 200

/** Lets the next call of sessions compose its head again where that differs, and says which cached tokens are sent again. */
export async function foldSessions(
  { store, clock, preview }: FoldParts,
  session: string | undefined,
): Promise<readonly FoldedSession[]> {
  if (session !== undefined && !(await store.session(session))) throw sessionNotFound(session)
  const since = new Date(Date.parse(clock.time()) - LONGEST_LIFE_MS).toISOString()
  const recent = session === undefined ? await store.sessions({ limit: MOST_SESSIONS }) : []
  const asked = session === undefined ? recent.filter(({ updated }) => updated >= since).map(({ id }) => id) : [session]
  const folded: FoldedSession[] = []
  for (const each of asked) {
    if ((await programOf(store, each)) !== undefined) continue
    const [before, after] = await Promise.all(
      [false, true].map((composes) =>
        preview({ session: each, composes }).then(
          ({ manifest }) => manifest,
          () => undefined,
        ),
      ),
    )
    if (before && after && headDigests(before) === headDigests(after)) continue
    await store.append(each, [{ type: 'fold' }], clock.time())
    folded.push({ session: each, ...price(before, after) })
  }
  return folded
}

function headDigests({ entries }: Preview['manifest']): string {
  const head = entries.filter(({ slot }) => slot === 'tools' || slot === 'system' || slot === 'preamble')
  return head.map(({ digest }) => digest ?? '').join(' ')
}

/** What a fold costs, with the cut that comes with it; nothing is known of a call that cannot be assembled. */
function price(
  before: Preview['manifest'] | undefined,
  after: Preview['manifest'] | undefined,
): Omit<FoldedSession, 'session'> {
  if (!before || !after) return {}
  const [kept, now] = [before.forecast, after.forecast]
  const money = kept?.money === undefined || now?.money === undefined ? undefined : now.money - kept.money
  const lost = Math.max(0, (before.reuse?.tokens ?? 0) - (after.reuse?.tokens ?? 0))
  return { tokens: Math.min(lost, after.reuse?.again ?? 0), ...defined({ money, cut: cutBy(before, after) }) }
}

/** What the call leaves out that it would have sent with the head as it is. */
function cutBy(before: Preview['manifest'], after: Preview['manifest']): FoldedSession['cut'] {
  const [kept, now] = [cutSums(before), cutSums(after)]
  return now.turns > kept.turns ? { turns: now.turns - kept.turns, tokens: now.hidden - kept.hidden } : undefined
}
