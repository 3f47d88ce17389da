import type { AnyCapability, Io } from '../capability.ts'

/** Capabilities that the configuration of a home names, beside those of this command line. */
export function loadCapabilities(_home: string, _io: Io): Promise<readonly AnyCapability[]> {
  return Promise.resolve([])
}
