import { exactLine, type Layer } from '../../context.ts'
import type { Plugin, PluginContext } from '../../capability/plugin.ts'
import { documentsText } from '../../citation.ts'

/**
 * Layer `project` (BEHAVIOURS §3.5, §3.6): the project's files in full, where they were found to fit; otherwise its place
 * in the account, with the numbers that decided. Spreadsheets are listed for the tool that reads them.
 */
export function projectPlugin(): Plugin {
  return {
    name: 'project',
    version: '1',
    layers: async (context) =>
      context.project && context.files ? projectLayers(context.project.id, context.files) : [],
  }
}

function projectLayers(
  id: string,
  { documents, tokens, reason, tables }: NonNullable<PluginContext['files']>,
): readonly Layer[] {
  const origin = { kind: 'file', ref: `project/${id}` } as const
  const about = { layer: 'project', origin }
  const isSent = documents.length > 0
  return [
    ...(reason && isSent
      ? [{ ...about, id: 'project', renditions: [{ form: 'full', text: documentsText(documents) }], because: reason }]
      : []),
    ...(reason && !isSent
      ? [{ ...about, id: 'project', renditions: [{ form: 'full', text: '', tokens }], withheld: reason }]
      : []),
    ...(tables.length > 0
      ? [{ ...about, id: 'project-tables', renditions: [{ form: 'full', text: tablesText(tables) }] }]
      : []),
  ]
}

function tablesText(tables: NonNullable<PluginContext['files']>['tables']): string {
  const lines = tables.map(
    ({ id, name, sheets }) => `- ${exactLine(name)} (${id}): ${sheets.map(exactLine).join(', ')}`,
  )
  return ['Spreadsheets of this project, to be read with read_attachment:', ...lines].join('\n')
}
