import { providerCapabilities } from './capabilities/providers.ts'
import type { AnyCapability } from './capability.ts'
import { pending } from './foreword/pending.ts'

/** What comes with Foreword, in the order in which layers are declared and tools are offered. */
export const builtIn: readonly AnyCapability[] = [...pending, ...providerCapabilities]
