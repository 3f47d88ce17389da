import { useEffect, useState } from 'react'
import type { Scenario } from '../../../src/context.ts'
import { underway } from '../api/underway.ts'
import type { Assembled } from './what-if-assembly.ts'

type Answer = { readonly id: number } & ({ readonly assembled: Assembled } | { readonly problem: string })

let worker: Worker | undefined
let asked = 0
const waiting = new Map<number, (answer: Answer) => void>()

/** Assembles a scenario beside the page. Rejects with a `RangeError` where the scenario is not valid. */
export function assembleBeside(scenario: Scenario): Promise<Assembled> {
  const started = (worker ??= startedWorker())
  const id = ++asked
  return new Promise((resolve, reject) => {
    waiting.set(id, (answer) =>
      'assembled' in answer ? resolve(answer.assembled) : reject(new RangeError(answer.problem)),
    )
    started.postMessage({ id, scenario }, [])
  })
}

function startedWorker(): Worker {
  const started = new Worker(new URL('./what-if-worker.ts', import.meta.url), { type: 'module' })
  started.addEventListener('message', ({ data }: MessageEvent<Answer>) => {
    waiting.get(data.id)?.(data)
    waiting.delete(data.id)
  })
  return started
}

interface AssemblyState {
  /** The newest that is ready; the one before while the next is made. */
  readonly assembled?: Assembled
  readonly problem?: string
}

/** The assembly of a scenario, beside the page, made again whenever it changes. */
export function useAssembly(scenario: Scenario | undefined): AssemblyState {
  const [state, setState] = useState<AssemblyState>({})
  useEffect(() => {
    if (scenario === undefined) return undefined
    let current = true
    underway(assembleBeside(scenario)).then(
      (assembled) => current && setState({ assembled }),
      (error: unknown) => current && setState({ problem: String(error) }),
    )
    return () => {
      current = false
    }
  }, [scenario])
  return state
}
