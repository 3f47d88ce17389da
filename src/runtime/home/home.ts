import { mkdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { accessPlaces } from '../../tool.ts'
import { errorMessage } from '../../platform.ts'

/** The files and folders of a home, as absolute paths (docs/guide/configuration.md). A missing one is an empty one. */
export interface Home {
  readonly root: string
  readonly configurationFile: string
  readonly data: string
  readonly tokenFile: string
  readonly context: string
  readonly systemPromptFile: string
  readonly soulFile: string
  readonly userProfileFile: string
  readonly toolAccessFile: string
  /** Where Ayati keeps its own: it counts where the home has no other (BEHAVIOURS §2.3). */
  readonly contextToolAccessFile: string
}

/** Where everything of a home is. Looks at nothing. */
export function homeAt(root: string): Home {
  const context = join(root, 'context')
  const data = join(root, 'data')
  const [toolAccessFile, contextToolAccessFile] = accessPlaces(root)
  return {
    root,
    configurationFile: join(root, 'config.json'),
    data,
    tokenFile: join(data, 'token'),
    context,
    systemPromptFile: join(context, 'system_prompt.md'),
    soulFile: join(context, 'soul.json'),
    userProfileFile: join(context, 'user_profile.json'),
    toolAccessFile,
    contextToolAccessFile,
  }
}

/**
 * What no tool may touch, even in a workspace that holds the home, or is it: the home and the host's own files in it. The
 * folders of capabilities are among their own `places`.
 */
export function ownersPlaces(root: string): readonly string[] {
  const { configurationFile, data, context, toolAccessFile } = homeAt(root)
  return [root, configurationFile, data, context, toolAccessFile]
}

/** Makes the folders that are missing, for the owner alone (0700). Rejects with a sentence that says how to fix it. */
export async function createHome({ root, data }: Home): Promise<void> {
  for (const folder of [root, data]) {
    try {
      await makeFolder(folder)
    } catch (error) {
      const why = errorMessage(error)
      throw new Error(`The home ${root} cannot be made (${why}). Name another one with FOREWORD_HOME.`, {
        cause: error,
      })
    }
  }
}

/** Makes the agent's folder where it is missing. Answers a warning where it cannot be made: everything else works without. */
export async function createWorkspace(folder: string): Promise<string | undefined> {
  try {
    await makeFolder(folder)
    return undefined
  } catch (error) {
    const why = errorMessage(error)
    return `The workspace ${folder} cannot be made (${why}). Make it yourself, or name another one as \`agent.workspace\`.`
  }
}

/**
 * Makes a folder and those above it. Node's own `recursive` never comes back where a folder exists and yet none can be
 * made in it because the file system has no such thing, as in `/proc`.
 */
async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'EEXIST' && (await stat(folder)).isDirectory()) return
    const above = dirname(folder)
    if (code !== 'ENOENT' || above === folder || (await exists(above))) throw error
    await makeFolder(above)
    await mkdir(folder, { mode: 0o700 })
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
