import { z } from 'zod'
import { homePath } from '../../capability.ts'

/** Keys below `skills`. */
export const skillsSettings = z
  .strictObject({
    directory: homePath().default('skills').describe('Folder of the skills; relative to the home.'),
    extraDirs: z.array(homePath()).default([]).describe('More folders of skills, in order.'),
    disabled: z.array(z.string()).default([]).describe('Names of skills that are left out.'),
    contextMode: z
      .enum(['auto', 'full', 'readOnDemand'])
      .default('auto')
      .describe('Whether skills stand in the prompt in full, or as a list to read from.'),
    trustedDirs: z
      .array(homePath())
      .default([])
      .describe("Folders outside the home whose `.agents/skills` you trust: the workspace's skills load only then."),
    allowScripts: z.boolean().default(false).describe("Whether a skill's own scripts may run."),
  })
  .prefault({})
  .describe('Where skills are, and how they are shown.')
