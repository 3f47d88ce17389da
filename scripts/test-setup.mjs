// What the process that starts the tests does before them (`node --test-global-setup`): all others get its environment.
import { globalSetup as shareCompiledCode } from './test-setup/compile-cache.mjs'
import { keepTemporaryFilesInMemory } from './test-setup/memory-folder.mjs'

export function globalSetup() {
  shareCompiledCode()
  keepTemporaryFilesInMemory()
}
