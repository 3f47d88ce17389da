import type { Scenario } from '../../../src/context.ts'
import { assembleScenario } from './what-if-assembly.ts'

/** What the page asks the worker, and what it answers. */
export interface AssemblyQuestion {
  readonly id: number
  readonly scenario: Scenario
}

/** A long session must not hold up the page, so nothing is assembled in it. */
addEventListener('message', ({ data }: MessageEvent<AssemblyQuestion>) => {
  try {
    postMessage({ id: data.id, assembled: assembleScenario(data.scenario) })
  } catch (error) {
    postMessage({ id: data.id, problem: error instanceof Error ? error.message : String(error) })
  }
})
