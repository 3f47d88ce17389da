import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import type { ScriptedProviderOptions } from '../../src/testing.ts'
import { blankPage, closeBrowser, type OpenedPage, openInspectorTab } from './browser.ts'
import { fitsWidth, looksRight, picture, send, turnEnded, visit } from './conversation.ts'
import { idle } from './idle.ts'

after(closeBrowser)

const policy = {
  global: { mode: 'allowlist', allowedTools: ['list_files'] },
  tools: { list_files: { approval: 'ask' } },
}

/** Lists the files where that is asked for, which waits for a decision, and otherwise says so much. */
const answer: NonNullable<ScriptedProviderOptions['answer']> = ({ body }) => {
  const { role, content } = (body['messages'] as readonly { readonly role: string; readonly content: string }[]).at(-1)!
  return role === 'user' && content.includes('List the files')
    ? { toolCalls: [{ name: 'list_files', input: {} }] }
    : { text: 'High water is at noon.' }
}

function opened(t: TestContext, configuration: object = {}): Promise<OpenedPage> {
  const prepare = async (home: string) => writeFileSync(join(home, 'tool-access.json'), JSON.stringify(policy))
  return blankPage(t, { answer }, { prepare, configuration: { ...configuration } })
}

/** A browser that nobody has signed in yet. */
async function signedOut({ another }: OpenedPage): Promise<Page> {
  const page = await another({ locale: 'en' })
  await page.context().clearCookies()
  return page
}

test('the owner adds a person, who talks; the owner sees what that used and not the words; then the person is out', async (t) => {
  const here = await opened(t)
  const { page, gateway } = here
  await page.goto(`${gateway.url}/settings/people`)
  const main = page.locator('#main')
  await main.getByText('Nobody but you uses this gateway yet.').waitFor()
  await looksRight(page, 'people-nobody')
  await main.getByLabel('Name').fill('ann')
  await main.getByLabel('Email').fill('ann@example.com')
  await main.getByRole('button', { name: 'Add and make an invitation' }).click()
  const invitation = main.getByRole('status')
  await invitation.getByText('send it to ann').waitFor()
  await invitation.getByRole('button', { name: 'Copy' }).waitFor()
  const link = (await invitation.locator('code').textContent())!
  await main.getByRole('listitem', { name: 'ann' }).getByText('Has not said anything yet.').waitFor()
  await looksRight(page, 'people-invitation')

  const other = await signedOut(here)
  await other.goto(link)
  await other.getByRole('link', { name: 'Signed in as ann' }).waitFor()
  await send(other, 'The word is heliotrope.')
  await turnEnded(other)
  await idle(other, gateway)

  await page.reload()
  const row = main.getByRole('listitem', { name: 'ann' })
  await row.getByText('1 session ·').waitFor()
  await row.getByText('ann@example.com').waitFor()
  assert.doesNotMatch(await page.content(), /heliotrope/)
  assert.equal(await page.getByText('The word is').count(), 0)
  await Promise.all([
    page.waitForResponse((response) => response.url().endsWith('/api/people/ann') && response.ok()),
    row.getByLabel('Role of ann').selectOption('guest'),
  ])
  await other.goto(`${gateway.url}/settings/token`)
  await other.getByText('You may talk. Calls of tools').waitFor()

  await row.getByRole('button', { name: 'Remove ann' }).click()
  await row.getByText('the home is deleted').waitFor()
  await looksRight(page, 'people-remove')
  await row.getByRole('button', { name: 'Remove ann now' }).click()
  await main.getByText('Nobody but you uses this gateway yet.').waitFor()
  // Without anything that the person does.
  await other.getByText('This browser is signed out').waitFor()
  await other.getByRole('heading', { name: 'Sign in to Foreword' }).waitFor()
  await looksRight(other, 'people-out')
  await other.goto(link)
  assert.match(await other.locator('body').innerText(), /wrong/)
})

test('a new invitation ends the one before, and a token of a person opens their home', async (t) => {
  const here = await opened(t)
  const { page, gateway } = here
  const { invitation } = await gateway.curl<{ readonly invitation: { readonly path: string } }>('/api/people', {
    name: 'bob',
    role: 'guest',
  })
  await page.goto(`${gateway.url}/settings/people`)
  const main = page.locator('#main')
  await main.getByRole('button', { name: 'New invitation for bob' }).click()
  const next = (await main.getByRole('status').locator('code').textContent())!
  assert.ok(!next.endsWith(invitation.path))
  const other = await signedOut(here)
  assert.equal((await other.request.get(`${gateway.url}${invitation.path}`, { maxRedirects: 0 })).status(), 401)
  await other.goto(next)
  await other.getByRole('link', { name: 'Signed in as bob' }).waitFor()

  await page.goto(`${gateway.url}/settings/token`)
  const region = page.getByRole('region', { name: 'Tokens for others' })
  await region.getByLabel('Opens the home of').selectOption('bob')
  assert.deepEqual(await region.getByLabel('May').locator('option').allTextContents(), [
    'read',
    'read and talk',
    'use MCP alone',
  ])
  await region.getByLabel('Name').fill('phone')
  await region.getByRole('button', { name: 'Make the token' }).click()
  await region.getByRole('listitem', { name: 'phone' }).getByText('of bob, may read and talk').waitFor()
  await looksRight(page, 'people-token')
  const token = (await region.getByRole('status').locator('code').textContent())!
  const answered = await fetch(`${gateway.url}/api/token`, { headers: { authorization: `Bearer ${token}` } })
  const { caller } = (await answered.json()) as { readonly caller: object }
  assert.deepEqual(caller, { scope: 'talk', name: 'phone', person: 'bob' })
})

/** Pages of the settings that only the owner has. */
const owners = 'tools mcp-servers schedules people backup doctor'.split(' ')
/** Pages with what members keep in their own home. */
const keepers = 'agents projects templates'.split(' ')

for (const role of ['member', 'guest'] as const) {
  test(`a ${role} opens every view of the page, and nothing of it is refused`, async (t) => {
    const here = await opened(t)
    const { gateway } = here
    const { invitation } = await gateway.curl<{ readonly invitation: { readonly path: string } }>('/api/people', {
      name: 'ann',
      role,
    })
    const page = await signedOut(here)
    const refused = refusalsOf(page)
    await page.goto(`${gateway.url}${invitation.path}`)
    const main = page.locator('#main')
    await page.getByText('Write a message.').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Your folder' }).count(), 0)
    await look(page, `${role}-first`)

    // A conversation, with everything around it.
    await send(page, 'When is high water?')
    await turnEnded(page)
    await look(page, `${role}-conversation`)
    const own = role === 'member' ? 1 : 0
    assert.equal(await page.getByRole('button', { name: 'Save the message as a template' }).count(), own)
    assert.equal(await page.getByRole('button', { name: 'Templates' }).count(), own)
    const inspector = page.getByRole('complementary', { name: 'Inspector' })
    for (const tab of ['What changed', 'What if', 'Timeline', 'History', 'Request']) {
      await openInspectorTab(inspector, tab)
      await page.locator('html[data-idle=true]').waitFor()
    }
    await look(page, `${role}-inspector`)
    await page.getByRole('button', { name: 'Choices of this session' }).click()
    await page.locator('html[data-idle=true]').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: /^Model/ }).click()
    await page.getByRole('searchbox', { name: 'Search models' }).waitFor()
    assert.equal(await page.getByRole('link', { name: 'Attach another model' }).count(), 0)
    await page.keyboard.press('Escape')

    // A call that waits.
    await send(page, 'List the files.')
    const question = page.getByRole('group', { name: 'Approval of list_files' })
    await question.waitFor()
    if (role === 'member') await question.getByRole('button', { name: 'Approve once' }).waitFor()
    else {
      await question.getByText('You cannot decide about this with your role.').waitFor()
      assert.equal(await question.getByRole('button').count(), 0)
    }
    await look(page, `${role}-question`)
    if (role === 'member') await question.getByRole('button', { name: 'Approve once' }).click()
    else await page.getByRole('button', { name: 'Stop' }).click()
    await idle(page, gateway)

    // The palette and the settings.
    await page.keyboard.press('ControlOrMeta+k')
    const palette = page.getByRole('listbox', { name: 'Found' })
    await palette.getByRole('option', { name: 'Settings: Account' }).waitFor()
    assert.equal(await palette.getByRole('option', { name: 'Settings: People' }).count(), 0)
    await page.keyboard.press('Escape')
    await visit(page, '/settings')
    const pages = page.getByRole('navigation', { name: 'Settings' }).getByRole('link')
    await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Account' }).waitFor()
    const shown = await pages.evaluateAll((links) => links.map((link) => (link as unknown as { href: string }).href))
    assert.ok(shown.length >= 7)
    for (const address of shown) {
      const { pathname } = new URL(address)
      assert.ok(!owners.includes(pathname.split('/')[2]!), pathname)
      assert.ok(role === 'member' || !keepers.includes(pathname.split('/')[2]!), pathname)
      await visit(page, pathname)
      await page.locator('html[data-idle=true]').waitFor()
      for (const word of [/attach a /i, /`?foreword [a-z]+/, /configuration/]) {
        assert.doesNotMatch(await main.innerText(), word, pathname)
      }
      await look(page, `${role}-${pathname.split('/')[2]}`)
    }
    for (const id of owners) {
      await visit(page, `/settings/${id}`)
      await main.getByText('Only the owner of this gateway can see and change this.').waitFor()
    }
    for (const id of role === 'guest' ? keepers : []) {
      await visit(page, `/settings/${id}`)
      await main.getByText('With your role you can use what the owner of this gateway shares').waitFor()
    }
    assert.deepEqual(refused, [])

    await visit(page, '/settings/token')
    await main.getByText('You are ann on this gateway.').waitFor()
    await main.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in to Foreword' }).waitFor()
  })
}

test('the owner shares an agent and a template with a group, and a member reads, uses and cannot change them', async (t) => {
  const here = await opened(t)
  const { page, gateway } = here
  const { invitation } = await gateway.curl<{ readonly invitation: { readonly path: string } }>('/api/people', {
    name: 'ann',
  })
  await page.goto(`${gateway.url}/settings/people`)
  const main = page.locator('#main')
  const row = main.getByRole('listitem', { name: 'ann' })
  await row.getByRole('button', { name: 'Change the groups of ann' }).click()
  await row.getByLabel('Groups of ann').fill('divers, captains')
  await looksRight(page, 'people-groups')
  await row.getByRole('button', { name: 'Save' }).click()
  await row.getByText('Groups: divers, captains').waitFor()

  await visit(page, '/settings/agents?id=new')
  await main.getByLabel('Name').fill('Clerk')
  await main.getByLabel('Prompt', { exact: true }).fill('You are a clerk.')
  await main.getByLabel('Shared with').selectOption('some')
  await main.getByLabel('People and groups').fill('group:divers')
  await looksRight(page, 'people-share')
  await main.getByRole('button', { name: 'Create the agent' }).click()
  await main.getByRole('heading', { name: 'Clerk' }).waitFor()
  await visit(page, '/settings/agents')
  await main.getByText('· shared').waitFor()
  await gateway.curl('/api/templates', { name: 'tide', text: 'When is high water in {{place}}?', sharedWith: ['*'] })

  const other = await signedOut(here)
  const refused = refusalsOf(other)
  await other.goto(`${gateway.url}${invitation.path}`)
  await other.getByText('Write a message.').waitFor()
  await other.getByRole('button', { name: 'Templates' }).click()
  await other.getByRole('list', { name: 'Templates' }).getByRole('button', { name: 'tide' }).waitFor()
  await other.keyboard.press('Escape')
  await visit(other, '/settings/agents')
  const theirs = other.locator('#main')
  await theirs.getByText('of the owner').waitFor()
  await looksRight(other, 'people-shared-list')
  await theirs.getByRole('link', { name: 'Clerk' }).click()
  await theirs.getByText('The owner of this gateway shares this with you.').waitFor()
  assert.equal(await theirs.getByRole('button', { name: /Remove|Save|Put back/ }).count(), 0)
  assert.doesNotMatch(await theirs.innerText(), /divers|shared with:/)
  await looksRight(other, 'people-shared-agent')
  await visit(other, '/settings/agents?id=new')
  await theirs.getByLabel('Name').fill('Own')
  assert.equal(await theirs.getByLabel('Shared with').count(), 0)
  await theirs.getByRole('button', { name: 'Create the agent' }).click()
  await theirs.getByRole('heading', { name: 'Own' }).waitFor()
  await looksRight(other, 'people-own-agent')
  assert.deepEqual(refused, [])
})

test('without a model a person reads that the owner has to attach one, and can try the examples', async (t) => {
  const here = await opened(t, { model: undefined, providers: {} })
  const { gateway } = here
  const { invitation } = await gateway.curl<{ readonly invitation: { readonly path: string } }>('/api/people', {
    name: 'ann',
    role: 'guest',
  })
  const page = await signedOut(here)
  const refused = refusalsOf(page)
  await page.goto(`${gateway.url}${invitation.path}`)
  const main = page.locator('#main')
  await main.getByText('No model is attached to this gateway yet. Its owner has to attach one').waitFor()
  assert.equal(await main.getByRole('heading', { name: 'Attach a model' }).count(), 0)
  await looksRight(page, 'people-no-model')
  const examples = main.getByRole('region', { name: 'Examples' }).getByRole('button')
  // That of a tool that asks is for those who can decide.
  assert.equal(await examples.count(), 2)
  for (let index = 0; index < (await examples.count()); index++) {
    await examples.nth(index).click()
    await page.waitForURL(/\/sessions\//)
    await page.getByRole('article').last().waitFor()
    await idle(page, gateway)
    await look(page, `guest-example-${index}`)
    await page.goto(gateway.url)
    await examples.first().waitFor()
  }
  await visit(page, '/settings/models')
  await main.getByText('The owner of this gateway attaches models.').waitFor()
  await page.locator('html[data-idle=true]').waitFor()
  assert.doesNotMatch(await main.innerText(), /key|attach a/i)
  await look(page, 'guest-no-models')
  assert.deepEqual(refused, [])
})

/** What the gateway refuses of what the page asks for, from now on. */
function refusalsOf(page: Page): readonly string[] {
  const refused: string[] = []
  page.on('response', (response) => {
    if (response.status() >= 400) refused.push(`${response.status()} ${new URL(response.url()).pathname}`)
  })
  return refused
}

/** As it is on a phone and a desk, where somebody wants pictures. */
async function look(page: Page, name: string): Promise<void> {
  await page.locator('html[data-idle=true]').waitFor()
  if (process.env['SCREENSHOTS'] === undefined) return
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    for (const width of [360, 1280]) {
      await page.setViewportSize({ width, height: 800 })
      await fitsWidth(page)
      await picture(page, `${name}-${colorScheme}-${width}`)
    }
  }
  await page.emulateMedia({ colorScheme: 'light' })
}
