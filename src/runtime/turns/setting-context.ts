import type { Reason } from '../../context.ts'
import type { MemoryReading, PluginContext, ProjectFiles } from '../../capability.ts'
import type { PromptDocument } from '../../citation.ts'
import type { FileRow, Source } from '../../session.ts'
import type { ProjectFit } from '../../capabilities/projects/project-fit.ts'
import type { TurnSetting } from './turn-setting.ts'

/** What layers may know of the setting of a turn. */
export async function settingContext(
  setting: TurnSetting | undefined,
  cites: boolean,
): Promise<Pick<PluginContext, 'prompt' | 'system' | 'agent' | 'project' | 'files' | 'subject' | 'memory' | 'cites'>> {
  if (!setting) return { cites }
  const { prompt, system, agent, project, fit, subject } = setting
  const memory = setting.memory?.now()
  return {
    cites,
    ...(prompt === undefined ? {} : { prompt }),
    ...(system === undefined ? {} : { system }),
    ...(agent ? { agent } : {}),
    ...(project ? { project } : {}),
    ...(subject ? { subject } : {}),
    ...(memory ? { memory } : {}),
    ...(fit ? { files: await projectFiles(setting, fit) } : {}),
  }
}

/** The documents that stand in the request itself, with their numbers: 1 to n, in the order of the files (BEHAVIOURS §3.6). */
export function documentSources({ fit }: Pick<TurnSetting, 'fit'>): readonly Source[] {
  if (!fit?.fits) return []
  return fit.files.map(({ id, name, time }, index) => ({
    citation: index + 1,
    document: id,
    title: name,
    updated: time,
  }))
}

/** Sessions whose words a layer holds, by its id. */
export function heldBy(setting: TurnSetting | undefined, layer: string): readonly string[] | undefined {
  const whole = setting?.memory?.whole
  const sessions = whole ? sessionsIn(whole, layer) : []
  return sessions.length > 0 ? sessions : undefined
}

/** Sessions whose words stand in a layer of the plugin `memory`. */
function sessionsIn({ previous, tools }: MemoryReading, layer: string): readonly string[] {
  const parts = { memory: [previous, tools], 'previous-session': [previous], 'tool-history': [tools] }
  const held = Object.hasOwn(parts, layer) ? parts[layer as keyof typeof parts] : []
  return [...new Set(held.flatMap((part) => part?.sessions ?? []))]
}

async function projectFiles(setting: TurnSetting, fit: ProjectFit): Promise<ProjectFiles> {
  const documents = fit.fits ? await Promise.all(fit.files.map((file, index) => documentOf(setting, file, index))) : []
  return { documents, tokens: fit.tokens, reason: reasonOf(fit), tables: fit.tables.map(tableOf) }
}

async function documentOf(setting: TurnSetting, file: FileRow, index: number): Promise<PromptDocument> {
  return { citation_id: index + 1, title: file.name, contents: (await setting.textOf(file)) ?? '' }
}

function reasonOf({ fits, tokens, limit, files }: ProjectFit): Reason | undefined {
  if (files.length === 0) return undefined
  return { code: fits ? 'project-fits' : 'project-too-large', tokens, limit, files: files.length }
}

function tableOf({ id, name, state }: FileRow): ProjectFiles['tables'][number] {
  const isTable = state.type === 'ready' && state.reading.kind === 'table'
  return { id, name, sheets: isTable ? state.reading.sheets : [] }
}
