import { setImmediate } from 'node:timers/promises'
import { sealed, type SealedDefinition } from './acceptance-record.ts'
import { readDefinition } from './definition.ts'

export interface Offered {
  /** By name. */
  readonly offered: readonly SealedDefinition[]
  /** What is left out and why: sentences that go on from the name of the server. */
  readonly faults: readonly string[]
}

/** The most tools of one server. */
const MOST_TOOLS = 256

/** So many faults are told; a server that has more is told apart by those. */
const MOST_FAULTS = 20

/** What a server said of its tools, without those that cannot be offered. */
export async function readOffered(said: {
  readonly tools: readonly unknown[]
  readonly isAll: boolean
}): Promise<Offered> {
  const faults: string[] = []
  const byName = new Map<string, SealedDefinition>()
  for (const tool of said.tools) {
    // A large schema takes a while to look at: others have their turn between two.
    await setImmediate()
    const read = await readDefinition(tool)
    if (read.type === 'faulty') faults.push(`offers ${read.why}; it is left out`)
    else if (byName.has(read.definition.name)) {
      faults.push(`offers the tool ${JSON.stringify(read.definition.name)} twice; the first one counts`)
    } else byName.set(read.definition.name, sealed(read.definition))
  }
  const names = [...byName.keys()].toSorted((left, right) => (left < right ? -1 : 1))
  const kept = names.slice(0, MOST_TOOLS)
  const told = faults.slice(0, MOST_FAULTS)
  if (!said.isAll || names.length > kept.length) {
    told.push(`offers more tools than the ${MOST_TOOLS} that are taken; the first by name are used`)
  }
  return { offered: kept.map((name) => byName.get(name)!), faults: told }
}
