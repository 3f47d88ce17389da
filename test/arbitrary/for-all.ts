import { randomInt } from 'node:crypto'
import * as fc from 'fast-check'
import { assemble, type Assembly, type AssemblyInput, ContextOverflowError, type Manifest } from '../../src/context.ts'

/** The share of its inputs that a law is held against, others each time. `LAWS_TIMES=50`: fifty times as many. */
const times = Number(process.env['LAWS_TIMES'] ?? 0.25)

/** `LAWS_SEED=656961130` holds every law against the inputs of a run that failed. */
const seed = Number(process.env['LAWS_SEED'] ?? randomInt(2 ** 31))
// Before any of them: a law that never comes to its end prints nothing.
console.error(`LAWS_SEED=${seed}`)

/** Holds a law against many inputs. What fails is printed as the smallest input that still fails, with its seed. */
export function forAll<T>(values: fc.Arbitrary<T>, law: (value: T) => void, runs = 300): void {
  fc.assert(fc.property(values, law), parameters(runs))
}

/** The same for a law that reads and writes a store. */
export async function forAllStored<T>(
  values: fc.Arbitrary<T>,
  law: (value: T) => Promise<void>,
  runs: number,
): Promise<void> {
  await fc.assert(fc.asyncProperty(values, law), { ...parameters(runs), timeout: LONGEST_INPUT_MS })
}

/**
 * How long a law is held against its inputs, ms: less than a test has, so that a failure that takes long to make small is printed as it
 * is. On a busy machine they may be fewer inputs; a single one that takes longer than the second time has failed.
 */
const LONGEST_MS = 200_000
const LONGEST_INPUT_MS = 90_000

function parameters(runs: number) {
  return {
    numRuns: Math.ceil(runs * times),
    interruptAfterTimeLimit: LONGEST_MS,
    seed,
    ...(process.env['UNSHRUNK'] ? { endOnFailure: true } : {}),
  }
}

/**
 * Holds a law that says nothing of many inputs. Runs share after share of the inputs until the law was tested often enough: more
 * than `least` times in all `runs`, in proportion after fewer of them. Throws where all of them have tested it too seldom.
 */
export function forAllTried<T>(
  { tried, least }: { readonly tried: () => number; readonly least: number },
  values: fc.Arbitrary<T>,
  law: (value: T) => void,
  runs = 300,
): void {
  for (let share = times; ; share += times) {
    forAll(values, law, runs)
    if (tried() > least * Math.min(1, share)) return
    if (share >= 1) throw new Error(`the law was hardly put to the test: ${tried()} times`)
  }
}

/** An assembly, or the account of why there is none. */
export type Outcome = { readonly manifest: Manifest; readonly assembly?: Assembly }

export function outcomeOf(input: AssemblyInput): Outcome {
  try {
    const assembly = assemble(input)
    return { manifest: assembly.manifest, assembly }
  } catch (error) {
    if (error instanceof ContextOverflowError) return { manifest: error.manifest }
    throw error
  }
}
