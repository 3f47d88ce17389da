import { tmpdir } from 'node:os'

/**
 * The folder for temporary files of the system, such as `/tmp`. The sandbox hides it and makes one of its own; most tests
 * keep their files in memory instead (`scripts/checks/memory-folder.ts`), in a place of which the sandbox knows nothing.
 */
export const systemTemporaryFolder = process.env['SYSTEM_TMPDIR'] ?? tmpdir()
