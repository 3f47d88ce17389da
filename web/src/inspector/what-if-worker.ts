import type { Scenario } from '../../../src/context.ts'
import { assembleScenario } from './what-if-assembly.ts'

interface AssemblyQuestion {
  readonly id: number
  readonly scenario: Scenario
}

/**
 * Starts this file again as a worker: a long session must not hold up the page, so nothing is assembled in it. The page loads
 * the same file for its address alone, so there is one copy of the core for both.
 */
export function startWorker(): Worker {
  return new Worker(import.meta.url, { type: 'module' })
}

if (!('document' in globalThis)) {
  addEventListener('message', ({ data }: MessageEvent<AssemblyQuestion>) => {
    try {
      postMessage({ id: data.id, assembled: assembleScenario(data.scenario) })
    } catch (error) {
      postMessage({ id: data.id, problem: error instanceof Error ? error.message : String(error) })
    }
  })
}
