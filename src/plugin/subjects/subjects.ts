import { type OperationParts, subjectOperations } from '../../subject.ts'
import type { Plugin } from '../plugin.ts'
import { subjectLayer } from './subject-layer.ts'
import { subjectTool } from './subject-tool.ts'

/** Layer `subject`, and the tools that read a subject, add to its log, and propose (BEHAVIOURS §4). None of them confirms. */
export function subjectsPlugin(parts: OperationParts): Plugin {
  const tools = subjectOperations(parts).map(subjectTool)
  return {
    name: 'subjects',
    version: '1',
    tools: () => tools,
    layers: async ({ subject, tools: offered, callsTools = true }) =>
      subject ? [subjectLayer(subject, callsTools ? offered : [])] : [],
  }
}
