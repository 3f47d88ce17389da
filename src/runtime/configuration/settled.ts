import { isAbsolute, join } from 'node:path'
import type { LayoutChanges } from '../../context.ts'
import type { ConfigurationShape } from './schema.ts'

/** Everything that was decided in `config.json` and the environment; defaults in their place, paths absolute. */
export interface Configuration extends Omit<ConfigurationShape, 'context'> {
  readonly context: Omit<ConfigurationShape['context'], 'layout' | 'timeZone'> & {
    /** With `headShare`, `lowWater` and `placements` worked in. */
    readonly layout: string | LayoutChanges
    readonly timeZone: string
  }
}

/** What a configuration depends on besides its text. */
export interface Surroundings {
  /** Relative paths are relative to it. */
  readonly home: string
  /** The person's own folder, for paths that begin with `~/`. */
  readonly userFolder: string | undefined
  readonly timeZone: string
}

/** A configuration that no longer depends on where it was written. */
export function settled(shape: ConfigurationShape, surroundings: Surroundings): Configuration {
  const absolute = (path: string) => absolutePath(path, surroundings)
  const { agent, channels, context, mcp, providers, skills, subjects } = shape
  const { telegram } = channels
  return {
    ...shape,
    agent: { ...agent, workspace: absolute(agent.workspace) },
    channels: telegram
      ? { telegram: { ...telegram, ...(telegram.tokenFile && { tokenFile: absolute(telegram.tokenFile) }) } }
      : {},
    context: { ...context, layout: layoutChoice(context), timeZone: context.timeZone ?? surroundings.timeZone },
    providers: Object.fromEntries(
      Object.entries(providers).map(([name, provider]) => [
        name,
        { ...provider, ...(provider.apiKeyFile && { apiKeyFile: absolute(provider.apiKeyFile) }) },
      ]),
    ),
    skills: {
      ...skills,
      directory: absolute(skills.directory),
      extraDirs: skills.extraDirs.map(absolute),
      trustedDirs: skills.trustedDirs.map(absolute),
    },
    mcp: {
      servers: Object.fromEntries(
        Object.entries(mcp.servers).map(([name, server]) => [
          name,
          { ...server, ...(server.directory && { directory: absolute(server.directory) }) },
        ]),
      ),
    },
    subjects: { ...subjects, directory: absolute(subjects.directory), tastes: absolute(subjects.tastes) },
  }
}

/** The single keys beside `layout` change the layout it names, whether or not that is changed already. */
function layoutChoice({
  layout,
  headShare,
  lowWater,
  placements,
}: ConfigurationShape['context']): string | LayoutChanges {
  const isChanged = headShare !== undefined || lowWater !== undefined || Object.keys(placements).length > 0
  if (typeof layout === 'string' && !isChanged) return layout
  const base: Exclude<typeof layout, string> = typeof layout === 'string' ? { extends: layout } : layout
  const share = headShare ?? base.headShare
  const water = lowWater ?? base.cut?.lowWater
  const choice: LayoutChanges = {
    extends: base.extends,
    placements: { ...base.placements, ...placements },
    ...(base.priorities && { priorities: base.priorities }),
    cut: { ...(base.cut?.unit && { unit: base.cut.unit }), ...(water !== undefined && { lowWater: water }) },
    ...(share !== undefined && { headShare: share }),
  }
  return choice
}

function absolutePath(path: string, { home, userFolder }: Surroundings): string {
  if (path.startsWith('~/') && userFolder) return join(userFolder, path.slice(2))
  return isAbsolute(path) ? path : join(home, path)
}
