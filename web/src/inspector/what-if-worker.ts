import type { Scenario } from '../../../src/context.ts'
import { assembleScenario } from './what-if-assembly.ts'

interface AssemblyQuestion {
  readonly id: number
  readonly scenario: Scenario
}

// A worker: a long session must not hold up the page, so nothing is assembled in the page itself.
addEventListener('message', ({ data }: MessageEvent<AssemblyQuestion>) => {
  try {
    postMessage({ id: data.id, assembled: assembleScenario(data.scenario) })
  } catch (error) {
    postMessage({ id: data.id, problem: error instanceof Error ? error.message : String(error) })
  }
})
