import type { Io } from '../capability.ts'
import type { Configuration, ConfigurationProblem, LoadedConfiguration } from '../runtime.ts'
import { CommandFailure } from './failure.ts'
import { note, programCapabilities } from './io.ts'

/** Loads the configuration. Throws one failure that lists every problem. */
export async function loadValidConfiguration(home: string, io: Io): Promise<Configuration> {
  return (await loadedValid(home, io)).configuration
}

export async function loadWithWarnings(
  home: string,
  io: Io,
): Promise<LoadedConfiguration & { readonly warnings: readonly ConfigurationProblem[] }> {
  const { configurationWarnings } = await import('../runtime.ts')
  const loaded = await loadedValid(home, io)
  return { ...loaded, warnings: await configurationWarnings(loaded, io.environment) }
}

async function loadedValid(home: string, io: Io): Promise<LoadedConfiguration> {
  const { homeAt, loadConfiguration, problemText } = await import('../runtime.ts')
  const { environment } = io
  const loaded = await loadConfiguration({ home, environment, capabilities: await programCapabilities(io) })
  const { problems } = loaded
  if (problems.length === 0) return loaded
  const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`
  throw new CommandFailure(
    'configuration',
    `The configuration has ${count}:\n${problems.map((problem) => `  ${problemText(problem)}`).join('\n')}`,
    { hint: `Correct ${homeAt(home).configurationFile}. Its keys are described by \`foreword config schema\`.` },
  )
}

/** The same command line with the capabilities that the configuration of a home adds. One that cannot be loaded is reported. */
export async function withHomeCapabilities(home: string, io: Io): Promise<Io> {
  const { configuredCapabilities } = await import('../runtime/configured-capabilities.ts')
  const own = await programCapabilities(io)
  const { environment } = io
  const { capabilities, problems } = await configuredCapabilities({ home, environment, capabilities: own })
  if (problems.length > 0) {
    const { problemText } = await import('../runtime.ts')
    for (const problem of problems) note(io, problemText(problem))
  }
  return { ...io, capabilities, programCapabilities: own }
}
