import { z } from 'zod'

const warnings = z.array(z.string()).describe('Sentences that begin with a path.')

/** A skill that loads, in the list. */
export type ListedSkill = z.infer<typeof skillRow>

const skillRow = z.object({
  name: z.string(),
  description: z.string(),
  tokens: z
    .object({
      full: z.number().describe('Its whole text.'),
      list: z.number().describe('Its line in the list of skills.'),
    })
    .describe('By the configured counter.'),
  tools: z.array(z.string()).describe('Its tools that can run.'),
  from: z.string().describe('Its folder, as manifests name it.'),
  folder: z.string().describe('Absolute path.'),
  digest: z.string().optional().describe('SHA-256 of everything in its folder.'),
  warnings,
})

/** A skill that is not loaded, and why. */
export type UnloadedSkill = z.infer<typeof leftRow>

const leftRow = z.object({
  name: z.string(),
  ref: z.string(),
  folder: z.string(),
  code: z.enum([
    'other-system',
    'missing-programs',
    'missing-environment',
    'disabled',
    'replaced',
    'unreadable',
    'untrusted',
  ]),
  why: z.string(),
  file: z.string().describe('The file to look at.'),
  hint: z.string().describe('How to have it loaded.'),
  warnings,
})

/** `GET /api/skills` */
export type SkillList = z.infer<typeof skillsAnswer>

export const skillsAnswer = z.object({
  skills: z.array(skillRow).describe('Those that load, in their order.'),
  left: z.array(leftRow).describe('Those that are not loaded.'),
  warnings: warnings.describe('Those about no skill in particular.'),
  tokens: z.object({ full: z.number(), list: z.number() }).describe('Of all that load, together.'),
  total: z.number().describe('How many load, whatever `q` is.'),
  read: z.number().describe('How many the gateway has read and uses now.'),
  changed: z.array(z.string()).describe('The names of those whose SKILL.md is another one than the gateway has read.'),
  directory: z.string().describe('Folder of the skills of the home.'),
  forms: z.array(z.string()).describe('The forms in which they may be sent, fullest first.'),
  why: z.string().describe('Why these forms.'),
})

/** `POST /api/skills/reach` */
export type SkillReach = z.infer<typeof skillReachAnswer>

export const skillReachAnswer = z.object({
  model: z.string(),
  window: z.number(),
  form: z
    .enum(['full', 'list', 'names', 'search', 'none'])
    .describe(
      '`names`: without descriptions. `search`: none is named, and find_skill finds them. `none`: nothing is sent.',
    ),
  named: z.number().describe('How many are named to the model.'),
  loaded: z.number(),
  tokens: z.number().describe('Of what is sent about skills.'),
  fullTokens: z.number().optional().describe('Of their fullest form.'),
  prompt: z
    .object({ total: z.number(), used: z.number() })
    .describe('The whole prompt: in the tokens of its provider, as `tokens` is, and as counted here.'),
  but: z.string().optional().describe('Why the model may yet not read them.'),
  hint: z.string().optional(),
  text: z.string().describe('All of this in one sentence.'),
  tools: z.array(z.string()).describe('Tools of skills that the model is offered.'),
})

/** `GET /api/skills/NAME` */
export type ShownSkill = z.infer<typeof skillAnswer>

export const skillAnswer = skillRow.extend({
  fields: z
    .looseObject({
      license: z.string().optional(),
      compatibility: z.string().optional(),
      allowedTools: z.string().optional(),
      version: z.string().optional(),
    })
    .describe('The frontmatter.'),
  line: z.string().describe('Its line in the list of skills, as the model reads it.'),
  text: z.string().describe('The whole skill, as the model reads it.'),
  files: z.array(z.object({ path: z.string(), bytes: z.number().optional() })),
  moreFiles: z.number().describe('How many more files there are.'),
  findings: z
    .array(z.object({ file: z.string(), line: z.number(), level: z.enum(['error', 'note']), message: z.string() }))
    .describe('What the check against the Agent Skills standard finds.'),
})

export const skillFileAnswer = z.object({ path: z.string(), text: z.string() })
