import { aider } from './aider.ts'
import { claudeCode } from './claude-code.ts'
import { codex } from './codex.ts'
import { general } from './general.ts'
import { openclaw } from './openclaw.ts'
import { opencode } from './opencode.ts'
import { pi } from './pi.ts'
import type { Recogniser } from './recogniser.ts'

/** The tables of the clients, in the order in which their signs are looked for. */
export const clientTables: readonly Recogniser[] = [claudeCode, codex, opencode, openclaw, pi, aider]

/** The table of a client before the general one; all of them where the client is not known. */
export function tablesOf(client: string | undefined): readonly Recogniser[] {
  const own = clientTables.find((table) => table.client === client)
  return own ? [own, general] : [...clientTables, general]
}
