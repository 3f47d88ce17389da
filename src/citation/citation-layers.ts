import type { Layer } from '../context.ts'

/** How to cite, for as long as something in a turn has numbers: the layer `citation-guidance` (BEHAVIOURS §3.3). */
export const citationGuidance = `# Citations
Documents and results have a citation_id. Where a statement rests on one, write its number in square brackets right behind the statement: [1]. If it rests on several, write them one after another: [1][2].
Use only numbers that you were given since the newest question; those in earlier answers belong to other sources. Never make up a number, and write none where no source says it. Do not list the sources at the end: the reader sees what each number stands for.`

/** Said at the very end of a request, from the first result with numbers until the answer (BEHAVIOURS §3.7). */
export const citationReminder =
  'Reminder: right behind each statement that rests on a document or result, write its citation_id in square brackets, such as [1].'

/** Layers `citation-guidance` and `reminder`, from the first result with numbers in a turn until its answer (BEHAVIOURS §3.7). */
export const citationLayers: readonly Layer[] = [
  citationLayer('citation-guidance', 'citation-guidance', citationGuidance),
  citationLayer('citation-reminder', 'reminder', citationReminder),
]

function citationLayer(id: string, layer: string, text: string): Layer {
  return { id, layer, renditions: [{ form: 'full', text }], origin: { kind: 'operator', ref: 'foreword' } }
}
