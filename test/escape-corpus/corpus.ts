import type { Escape } from './escape.ts'
import { fileEscapes } from './file-escapes.ts'
import { gitEscapes } from './git-escapes.ts'
import { programEscapes } from './program-escapes.ts'

/** Every escape that is known. One that is found later belongs here. */
export const corpus: readonly Escape[] = [...gitEscapes, ...fileEscapes, ...programEscapes]
