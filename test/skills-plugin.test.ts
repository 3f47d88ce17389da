import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { assemble, type AssemblyInput, layoutOf, smallCounters } from '../src/context.ts'
import { type LayerContext } from '../src/capability.ts'
import { openSkills, type SkillsOptions } from '../src/capabilities/skills/open-skills.ts'
import { createToolbox } from '../src/tool.ts'
import { folderWith, skillText } from './skills/folder-with.ts'
import { systemClock } from '../src/platform.ts'

/** The example of BEHAVIOURS §1.3. */
const example = {
  'alpha/SKILL.md': '---\nname: alpha\ndescription: Does A.\n---\n# Alpha\nUse it.\n',
  'beta/SKILL.md': '# Beta\nPlain.',
}
const full =
  'You have access to the following skills. Use them when relevant.\n\n## alpha\nDoes A.\n\n# Alpha\nUse it.\n\n## beta\n# Beta\nPlain.\n\n'
const list =
  "You have access to the following skills. Use the read_skill tool to load a skill's full documentation when it " +
  "clearly applies to the user's request.\n\n## Available skills\n\n- **alpha**: Does A.\n- **beta**: (no description)\n"

test('in the preset chai the system string is the one that Chai has', async (context) => {
  assert.equal(await systemText(context, { mode: 'full' }), `Be nice.\n\n${full}`)
  assert.equal(await systemText(context, { mode: 'auto' }), `Be nice.\n\n${full}`)
  assert.equal(await systemText(context, { mode: 'readOnDemand' }), `Be nice.\n\n${list}`)
})

/** The names stand in the schema of `read_skill`. */
const namesText =
  "Use the read_skill tool to read one of the skills in its schema when its name fits the user's request."

test('auto offers every form, and read_skill only where the list was sent', async (context) => {
  const plugin = await started(context, example)
  assert.deepEqual(layers(plugin), [
    {
      id: 'skills',
      layer: 'skills',
      renditions: [
        { form: 'full', text: full.trimEnd() },
        { form: 'list', text: list.trimEnd().replace('(no description)', 'Beta') },
        { form: 'list-names', text: namesText },
      ],
      origin: { kind: 'operator', ref: 'skills' },
    },
  ])
  assert.deepEqual(
    plugin.tools.map(({ name, offeredWith }) => [name, offeredWith]),
    [['read_skill', { layer: 'skills', form: 'list' }]],
  )
})

test('in the presets auto is full, as their own systems have it', async (context) => {
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`s${index}/SKILL.md`, 'x']))
  const plugin = await started(context, many)
  for (const name of ['chai', 'ayati', 'onyx', 'deepchat', { extends: 'chai' }]) {
    const layout = layoutOf(name)
    assert.deepEqual(formsIn(plugin, { layout }), ['full'], layout.name)
  }
  assert.deepEqual(formsIn(plugin, { layout: layoutOf({ extends: 'auto' }) }), ['list', 'list-names'])
})

test('a hundred skills cost their list, never their bodies', async (context) => {
  const skills = Array.from({ length: 100 }, (_, index) => [
    `skill-${index}/SKILL.md`,
    skillText(`description: Does ${index}.`, `# Body\n${'Many words. '.repeat(300)}`),
  ])
  const plugin = await started(context, Object.fromEntries(skills))
  const [layer] = layers(plugin)
  assert.deepEqual(
    layer!.renditions.map(({ form }) => form),
    ['list', 'list-names', 'list-search'],
  )
  assert.match(layer!.renditions[1]!.text, /: skill-0, skill-1, skill-10, /)
  assert.match(layer!.renditions[2]!.text, /^100 skills are installed\..* find_skill .* read_skill/)
  assert.equal(layer!.renditions[0]!.text.includes('Many words'), false)
  assert.equal(layer!.renditions[0]!.text.split('\n- **').length, 101)
})

test('a few skills that are long cost their list', async (context) => {
  const long = { 'a/SKILL.md': 'x'.repeat(30_000), 'b/SKILL.md': 'x'.repeat(30_000) }
  assert.deepEqual(formsIn(await started(context, long)), ['list', 'list-names'])
  const twenty = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`s${index}/SKILL.md`, 'x']))
  assert.deepEqual(formsIn(await started(context, twenty)), ['full', 'list', 'list-names'])
  assert.deepEqual(formsIn(await started(context, { ...twenty, 'z/SKILL.md': 'x' })), ['list', 'list-names'])
})

test('in auto a schema lists no names beyond fifty skills, and in the preset chai it lists each', async (context) => {
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`s${index}/SKILL.md`, `Does ${index}.`]))
  const named = async (count: number, options: Partial<SkillsOptions>) => {
    const tools = (await started(context, many(count), options)).tools
    return tools.map(({ name, inputSchema }) => {
      const { skill_name: field } = inputSchema['properties'] as Record<
        string,
        { enum?: readonly string[] } | undefined
      >
      return [name, field?.enum?.length]
    })
  }
  const search = [
    ['read_skill', undefined],
    ['find_skill', undefined],
  ]
  assert.deepEqual(await named(50, {}), [['read_skill', 50]])
  assert.deepEqual(await named(51, {}), search)
  assert.deepEqual(await named(51, { mode: 'readOnDemand' }), search)
  assert.deepEqual(await named(51, { mode: 'readOnDemand', layout: layoutOf('chai') }), [['read_skill', 51]])
  const plugin = await started(context, many(51), { mode: 'readOnDemand' })
  assert.deepEqual(formsIn(plugin), ['list', 'list-names', 'list-search'])
  assert.deepEqual(formsIn(plugin, { layout: layoutOf('chai') }), ['list'])
})

test('an unknown name among many is answered with the nearest, and a search ranks', async (context) => {
  const files = Object.fromEntries(
    Array.from({ length: 60 }, (_, index) => [
      `filler-${index}/SKILL.md`,
      skillText(`description: Files case ${index}.`),
    ]),
  )
  const plugin = await started(context, {
    ...files,
    'pdf-extract/SKILL.md': skillText('description: Takes the text out of a document.'),
    'pdf-merge/SKILL.md': skillText('description: Puts invoices together.'),
    'weather/SKILL.md': '# Forecast of rain\n',
  })
  const [read, find] = plugin.tools
  const call = { clock: systemClock, session: 's', turn: 't', toolCallId: 'c', signal: new AbortController().signal }
  const answer = (tool: typeof find, input: object) =>
    createToolbox([tool!]).run({ toolCallId: 'c', toolName: tool!.name, input }, call)
  const unknown = await answer(read, { skill_name: 'pdf-extrakt' })
  assert.match(unknown.ok ? '' : unknown.error, /^unknown skill: pdf-extrakt; the nearest are pdf-extract, pdf-merge/)
  const found = async (query: string, offset?: number) => {
    const result = await answer(find, { query, ...(offset !== undefined && { offset }) })
    return result.ok ? result.output : result.error
  }
  assert.equal(
    await found('extract text from a PDF document'),
    '- **pdf-extract**: Takes the text out of a document.\n- **pdf-merge**: Puts invoices together.\n',
  )
  assert.equal(await found('an invoice'), '- **pdf-merge**: Puts invoices together.\n')
  assert.equal(await found('rain'), '- **weather**: Forecast of rain\n')
  assert.match(await found('files'), /\n\[1 to 10 of 60; go on with offset 10\]\n$/)
  assert.equal((await found('files', 55)).split('\n').length - 1, 5)
  assert.equal(await found('files', 60), '[the results end at 60]')
  assert.equal(await found('wether'), 'No skill has these words. Names that are near: weather.')
  assert.equal(await found('?'), 'No skill has these words. Try other words.')
})

test('full has no read_skill, readOnDemand always has one', async (context) => {
  const inFull = await started(context, example, { mode: 'full' })
  assert.deepEqual(formsIn(inFull), ['full'])
  assert.deepEqual(inFull.tools, [])
  const onDemand = await started(context, example, { mode: 'readOnDemand' })
  assert.deepEqual(formsIn(onDemand), ['list', 'list-names'])
  assert.deepEqual(formsIn(onDemand, { layout: layoutOf('chai') }), ['list'])
  assert.deepEqual(
    onDemand.tools.map(({ name, offeredWith }) => [name, offeredWith]),
    [['read_skill', undefined]],
  )
})

test('where nothing can be called, nothing says how to', async (context) => {
  assert.deepEqual(formsIn(await started(context, example), { callsTools: false }), ['full'])
  const onDemand = await started(context, example, { mode: 'readOnDemand' })
  assert.deepEqual(layers(onDemand, { callsTools: false }), [])
})

test('no skills are no layer and no tool', async (context) => {
  for (const mode of ['auto', 'full', 'readOnDemand'] as const) {
    const plugin = await started(context, {}, { mode })
    assert.deepEqual(layers(plugin), [])
    assert.deepEqual(plugin.tools, [])
    assert.deepEqual(plugin.warnings, [])
  }
})

test('as capabilities, skills are definitions with their tools, and their layer is that of all capabilities', async (context) => {
  const plugin = await started(
    context,
    {
      'alpha/SKILL.md': skillText('description: Does A.\nmetadata: { version: 1.10 }', '# A'),
      'alpha/tools.json': toolsJson('say'),
      'beta/SKILL.md': '# Beta',
    },
    { layout: layoutOf('ayati') },
  )
  const sent = layers(plugin, { layout: layoutOf('ayati'), tools: ['say'] })
  assert.deepEqual(
    sent.map(({ renditions: [whole] }) => whole?.text),
    ['# Skills\n\n## Skill: alpha\n\n# A\n\n## Skill: beta\n\n# Beta'],
  )
  assert.deepEqual(plugin.tools, [])
  assert.deepEqual(
    plugin.promptBlocks.map(({ tools, ...definition }) => ({ ...definition, tools: tools.map(({ name }) => name) })),
    [
      { id: 'alpha', version: '1.10', description: 'Does A.', promptBlock: '# A', tools: ['say'] },
      { id: 'beta', version: '1', description: '', promptBlock: '# Beta', tools: [] },
    ],
  )
})

test('the tools of skills come after read_skill, and two of one name are a warning', async (context) => {
  const plugin = await started(context, {
    'a/SKILL.md': 'a',
    'a/tools.json': toolsJson('one', 'both'),
    'b/SKILL.md': 'b',
    'b/tools.json': toolsJson('both'),
    'c/SKILL.md': 'c',
    'c/tools.json': '{ broken',
  })
  assert.deepEqual(
    plugin.tools.map(({ name }) => name),
    ['read_skill', 'one', 'both', 'both'],
  )
  const [broken, both, ...others] = plugin.warnings
  assert.equal(both, 'the skills a and b both export a tool both; that of b is used')
  assert.match(broken!, /tools\.json/)
  assert.deepEqual(others, [])
  assert.equal(layers(plugin)[0]!.renditions[0]!.text.includes('## c\n'), true)
})

test('a tool that can never run takes the name of no other, whichever of the two comes later', async (context) => {
  const idle = toolsJson('both').replace('{"echo":["hello"]}', '{}')
  for (const [a, b] of [
    [toolsJson('both'), idle],
    [idle, toolsJson('both')],
  ]) {
    const files = { 'a/SKILL.md': 'a', 'a/tools.json': a!, 'b/SKILL.md': 'b', 'b/tools.json': b! }
    const plugin = await started(context, files)
    const [, both, ...others] = plugin.tools
    assert.deepEqual([both?.name, both?.offeredWhile, others], ['both', undefined, []])
    assert.match(plugin.warnings.join('\n'), /both is not offered.*binary not allowlisted: echo$/)
  }
})

test('a skill without its tools says so to the model, and there is one warning for each skill', async (context) => {
  const some = JSON.parse(toolsJson('one', 'two', 'three')) as { execution: { binary: string }[] }
  some.execution[1]!.binary = 'missing'
  some.execution[2]!.binary = 'missing'
  const files = {
    'a/SKILL.md': skillText('description: Does A.', '# A'),
    'a/tools.json': JSON.stringify(some),
    'b/SKILL.md': skillText('description: Does B.', '# B'),
    'b/tools.json': toolsJson('four', 'five').replace('["hello"]', '[]'),
    'c/SKILL.md': '# C',
    'c/tools.json': '{"tools":[1,2],"allowlist":3,"more":4}',
    'd/SKILL.md': '# D',
    'd/tools.json': toolsJson('six'),
  }
  const plugin = await started(context, files)
  assert.deepEqual(
    plugin.warnings.map((warning) => warning.replace(/^.*\/(?=.: )/, '')),
    [
      'a: two, three are not offered, since no call of them can run: binary not allowlisted: missing',
      'b: four, five are not offered, since no call of them can run: subcommand not allowlisted: echo hello',
      'c: tools.json: tools[0]: must be an object; tools.json: tools[1]: must be an object; tools.json: allowlist: must be an object; ' +
        'and 2 more, which `foreword skills check` lists; none of its tools is used',
    ],
  )
  const [inFull, asList] = layers(plugin)[0]!.renditions
  assert.match(inFull!.text, /# A\n\nThese tools of this skill cannot be used here: two, three\.\n\n## b\n/)
  assert.match(
    inFull!.text,
    /# B\n\nThe tools of this skill cannot be used here\.\n\n## c\n# C\n\nThe tools of this skill cannot be used here\.\n\n## d\n# D$/,
  )
  assert.match(asList!.text, /\*\*a\*\*: Does A\.\n- \*\*b\*\*: Does B\. \(Its tools cannot be used here\.\)/)
  const preset = layers(plugin, { layout: layoutOf('chai') })[0]!.renditions[0]!
  assert.doesNotMatch(preset.text, /cannot be used/)
})

test('no skill takes the place of read_skill', async (context) => {
  const plugin = await started(context, { 'a/SKILL.md': 'a', 'a/tools.json': toolsJson('read_skill', 'other') })
  assert.deepEqual(
    plugin.tools.map(({ name }) => name),
    ['read_skill', 'other'],
  )
  assert.equal('plan' in plugin.tools[0]!, false)
  assert.deepEqual(plugin.warnings, [
    'the skill a exports a tool read_skill; that is the name of a tool of Foreword, so the tool is left out',
  ])
})

test('skills are read at start and at reload, and kept between', async (context) => {
  const root = folderWith(context, example)
  const plugin = await openSkills(optionsFor(root))
  const before = layers(plugin)
  writeFileSync(join(root, 'beta', 'SKILL.md'), '# Changed')
  assert.deepEqual(layers(plugin), before)
  await plugin.reload()
  assert.match(layers(plugin)[0]!.renditions[0]!.text, /# Changed$/)
})

async function systemText(context: TestContext, options: Partial<SkillsOptions>): Promise<string | undefined> {
  const plugin = await started(context, example, options)
  const input: AssemblyInput = {
    layout: layoutOf('chai'),
    layers: [
      { id: 'instructions', layer: 'instructions', renditions: [{ form: 'full', text: '  Be nice.\n' }] },
      ...layers(plugin, { layout: layoutOf('chai') }),
    ],
    history: [],
    current: { id: 't1', messages: [{ message: { role: 'user', content: 'U1' } }] },
    tools: [],
    attachments: [],
    budget: { window: 4096, reserve: 1024, margin: 0 },
    counter: smallCounters[0]!,
  }
  return assemble(input).request.system
}

function formsIn(plugin: Awaited<ReturnType<typeof started>>, context: Partial<LayerContext> = {}) {
  return layers(plugin, context).flatMap(({ renditions }) => renditions.map(({ form }) => form))
}

function layers(plugin: Awaited<ReturnType<typeof started>>, context: Partial<LayerContext> = {}) {
  return plugin.layers({ layout: layoutOf('auto'), callsTools: true, promptBlocks: [], tools: [], ...context })
}

async function started(
  context: TestContext,
  files: Readonly<Record<string, string>>,
  options: Partial<SkillsOptions> = {},
) {
  return openSkills({ ...optionsFor(folderWith(context, files)), ...options })
}

function optionsFor(root: string): SkillsOptions {
  return {
    roots: [{ path: root, ref: 'skills', kind: 'home' }],
    findBinary: async () => true,
    workspace: root,
    environment: {},
    allowScripts: false,
  }
}

function toolsJson(...names: readonly string[]): string {
  return JSON.stringify({
    tools: names.map((name) => ({ name, parameters: { type: 'object', properties: {} } })),
    allowlist: { echo: ['hello'] },
    execution: names.map((tool) => ({ tool, binary: 'echo', subcommand: 'hello' })),
  })
}
