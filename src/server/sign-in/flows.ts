import { createCipheriv, createDecipheriv } from 'node:crypto'
import { z } from 'zod'
import type { Clock } from '../../platform.ts'

const flow = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  /** The address that the provider sends the browser back to. */
  back: z.string(),
  /** Path of this gateway that the browser goes to at the end. */
  to: z.string(),
  /** ms since 1970. */
  until: z.number(),
})

/** A sign-in that has begun in one browser, which keeps it in a cookie. */
export type Flow = z.infer<typeof flow>

/** How long somebody may take at the provider, seconds. */
export const FLOW_SECONDS = 600

/** The most ended flows that are remembered. Of those before them the provider knows that their codes were used. */
const MOST_USED = 10_000

/** Sign-ins in progress. They are sealed with a key of this process: nothing is stored for a browser that never comes back. */
export function createFlows({
  clock,
  random,
}: {
  readonly clock: Clock
  readonly random: (bytes: number) => Uint8Array
}) {
  const key = random(32)
  const used = new Map<string, number>()

  return {
    /** The value of the cookie of a flow that begins now. */
    seal(begun: Omit<Flow, 'until'>): string {
      const vector = random(12)
      const cipher = createCipheriv('aes-256-gcm', key, vector)
      const text = JSON.stringify({ ...begun, until: clock.now() + FLOW_SECONDS * 1_000 } satisfies Flow)
      const sealed = [vector, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]
      return Buffer.concat(sealed).toString('base64url')
    },
    /** The flow of a cookie; `undefined` for one that was not sealed here, or is over. */
    open(value: string): Flow | undefined {
      try {
        const bytes = Buffer.from(value, 'base64url')
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), { authTagLength: 16 })
        decipher.setAuthTag(bytes.subarray(-16))
        const text = Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]).toString()
        const opened = flow.parse(JSON.parse(text))
        return opened.until > clock.now() ? opened : undefined
      } catch {
        return undefined
      }
    },
    /** Ends a flow. Returns `false` where it has ended before. */
    use({ state, until }: Flow): boolean {
      if (used.has(state)) return false
      for (const [each, over] of used) {
        if (over > clock.now() && used.size < MOST_USED) break
        used.delete(each)
      }
      used.set(state, until)
      return true
    },
  }
}
