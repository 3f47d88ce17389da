import { type OperationParts, SubjectError, subjectOperations, type Subjects } from './core.ts'
import type { Plugin } from '../../capability.ts'
import { subjectLayer } from './subject-layer.ts'
import { subjectTool } from './subject-tool.ts'

export interface SubjectsPluginOptions extends OperationParts {
  /** Id of the subject of sessions that choose none. */
  readonly usual?: string | undefined
}

/** Layer `subject`, and the tools that read a subject, add to its log, and propose (BEHAVIOURS §4). None of them confirms. */
export function subjectsPlugin({ usual, ...parts }: SubjectsPluginOptions): Plugin {
  // Their definitions cost a thousand tokens in every request: nothing for a home without subjects.
  const offeredWhile = { what: 'there is a subject', isSo: () => parts.subjects.any() }
  const tools = subjectOperations(parts).map((operation) => subjectTool(operation, offeredWhile))
  let warnings: readonly string[] = []
  const look = async () => {
    warnings = usual === undefined ? [] : await faultsOf(usual, parts.subjects)
  }
  return {
    name: 'subjects',
    version: '1',
    tools: () => tools,
    layers: async ({ subject, tools: offered, callsTools = true }) =>
      subject ? [subjectLayer(subject, callsTools ? offered : [])] : [],
    start: look,
    reload: look,
    warnings: () => warnings,
  }
}

/** Turns run without a subject that is not there; its owner should know. */
async function faultsOf(usual: string, subjects: Subjects): Promise<readonly string[]> {
  try {
    // Not its context: long notes would be put into a model's words, and there is none yet.
    await subjects.notes(usual, { limit: 1 })
    return []
  } catch (error) {
    if (!(error instanceof SubjectError)) throw error
    return [`subjects.default names no subject that is there: ${error.message}`]
  }
}
