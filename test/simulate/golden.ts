import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { liveStory } from './story.ts'

/** Stories whose log shall stay what it is when only the way of making it changes. */
export const goldenSeeds: readonly number[] = Array.from({ length: 40 }, (_, index) => index + 1)

const FILE = join(import.meta.dirname, 'golden-digests.json')

/** The beginnings of the digests, by the seed. */
export function readGolden(): Readonly<Record<string, string>> {
  return JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, string>
}

/** Where a digest begins, which is enough to see that it is another one. */
export async function goldenDigest(seed: number): Promise<string> {
  const { digest, broken } = await liveStory(seed, { calm: true })
  if (broken.length > 0) throw new Error(`Seed ${seed}: ${broken.join('\n')}`)
  return digest.slice(0, 16)
}

export async function writeGolden(): Promise<void> {
  const digests: Record<string, string> = {}
  for (const seed of goldenSeeds) digests[seed] = await goldenDigest(seed)
  writeFileSync(FILE, `${JSON.stringify(digests, null, 2)}\n`)
}
