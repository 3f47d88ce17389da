import { commandPresets } from '../../src/tool.ts'
import { writtenTable } from '../guide/written-table.ts'

export const presetsInGuide = writtenTable('tools.md', 'presets')

/** The table of all presets as they are in the code. */
export function tableOfPresets(): string {
  const rows = commandPresets.map(({ name, allows, leaves }) => `| \`${name}\` | ${allows} | ${leaves} |`)
  return ['\n| preset | what it allows | what it does not stop |', '| --- | --- | --- |', ...rows]
    .join('\n')
    .concat('\n\n')
}

if (import.meta.main) presetsInGuide.write(tableOfPresets())
