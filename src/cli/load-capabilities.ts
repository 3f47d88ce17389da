import type { AnyCapability, Io } from '../capability.ts'
import { note } from './io.ts'

/** Capabilities that the configuration of a home names, beside those of this command line. One that cannot be used is reported. */
export async function loadCapabilities(home: string, io: Io): Promise<readonly AnyCapability[]> {
  const { loadConfiguration, problemText } = await import('../runtime.ts')
  const { capabilities: own = [], environment } = io
  const { capabilities, problems } = await loadConfiguration({ home, environment, capabilities: own })
  for (const problem of problems) if (problem.key === 'capabilities') note(io, problemText(problem))
  return capabilities.slice(own.length)
}
