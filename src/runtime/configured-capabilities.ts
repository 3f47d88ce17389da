import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LoadedConfiguration, LoadOptions } from './configuration/load.ts'

/**
 * The capabilities of the program and those that the configuration of a home names, with what is wrong with the latter.
 * Commands that start no gateway, such as the help, continue without those that cannot be used. Quick if none is named, and an
 * entry point of its own, so that a process that needs nothing else of the runtime does not load it.
 */
export async function configuredCapabilities(
  options: Omit<LoadOptions, 'read'>,
): Promise<Pick<LoadedConfiguration, 'capabilities' | 'problems'>> {
  const { capabilities } = options
  if (!namesCapabilities(options)) return { capabilities, problems: [] }
  const { loadConfiguration } = await import('./configuration/load.ts')
  const loaded = await loadConfiguration(options)
  return { ...loaded, problems: loaded.problems.filter(({ key }) => key === 'capabilities') }
}

/** Whether the configuration of a home may name capabilities. */
export function namesCapabilities({ home, environment }: Pick<LoadOptions, 'home' | 'environment'>): boolean {
  return Boolean(environment['FOREWORD_CAPABILITIES']) || textOf(home).includes('"capabilities"')
}

/** Synchronously, because a client that connects waits for it. Empty where the file cannot be read. */
function textOf(home: string): string {
  try {
    return readFileSync(join(home, 'config.json'), 'utf8')
  } catch {
    return ''
  }
}
