/** Names that programs of the owner obey, and what a tool may do with them. */
export interface ObeyedNames {
  /**
   * `never`: obeyed as soon as it lies there, or outside of this machine: tools read it, and neither change nor make it.
   * `asks`: obeyed when the owner builds, tests or starts the project: a change asks a person, and is reported.
   */
  readonly level: 'never' | 'asks'
  /** The programs, for a sentence: `Make`. */
  readonly by: string
  /** A name, or a folder and a name in it, or `*` and an ending; separated by spaces. At any depth. */
  readonly names: string
}

/** When the names were last compared with the manuals of the programs. Names that came later are not. */
export const OBEYED_NAMES_CHECKED = '2026-11-29'

/** Of `never` also everything below counts. Of `asks` files alone: `BUILD` is also how people name a folder. */
export const obeyedNames: readonly ObeyedNames[] = [
  {
    level: 'never',
    by: 'agents',
    names: 'AGENTS.md AGENTS.override.md AGENT.md .agents .agent .mcp.json AGENTS.local.md',
  },
  {
    level: 'never',
    by: 'Claude Code',
    names: 'CLAUDE.md CLAUDE.local.md .claude .claude-plugin .claude.json .lsp.json',
  },
  { level: 'never', by: 'Codex', names: '.codex' },
  { level: 'never', by: 'opencode', names: 'opencode.json opencode.jsonc .opencode tui.json tui.jsonc' },
  { level: 'never', by: 'pi', names: '.pi' },
  {
    level: 'never',
    by: 'aider',
    names: '.aider.conf.yml .aider.conf.yaml .aider.model.settings.yml .aider.model.metadata.json',
  },
  { level: 'never', by: 'OpenClaw', names: '.openclaw openclaw.json SOUL.md HEARTBEAT.md BOOTSTRAP.md BOOT.md' },
  { level: 'never', by: 'Gemini CLI', names: 'GEMINI.md .gemini' },
  {
    level: 'never',
    by: 'GitHub Copilot',
    names:
      '.copilot .github/copilot-instructions.md .github/instructions .github/prompts .github/agents .github/chatmodes .github/skills .github/hooks .github/copilot .github/mcp.json .github/lsp.json .github/extensions',
  },
  { level: 'never', by: 'Qwen Code', names: 'QWEN.md .qwen' },
  { level: 'never', by: 'Continue', names: '.continue .continuerules' },
  { level: 'never', by: 'Cline', names: '.clinerules .cline' },
  { level: 'never', by: 'Cursor', names: '.cursor .cursorrules' },
  { level: 'never', by: 'Windsurf', names: '.windsurf .windsurfrules' },
  {
    level: 'never',
    by: 'agents in editors',
    names:
      '.roo .roorules .roomodes .kilocode .kilocodemodes .amazonq .kiro .junie .augment .augment-guidelines .trae .idx .tabnine .rovodev .codebuddy CODEBUDDY.md .lingma .zencoder .qodo .cody .firebender firebender.json .ruler .rulesync replit.md .kilo kilo.json kilo.jsonc .aiassistant .qoder .devin',
  },
  {
    level: 'never',
    by: 'agents in terminals',
    names:
      '.goose .goosehints CRUSH.md crush.json .crush.json .crush .amp WARP.md .warp .factory .openhands .openhands_instructions .iflow IFLOW.md .vibe .grok GROK.md .kimi .forge forge.yaml .gptme gptme.toml',
  },
  {
    level: 'never',
    by: 'editors',
    names:
      '.vscode *.code-workspace .vs .idea .fleet .zed .rules .helix .nova .theia hie.yaml .rust-analyzer.toml rust-analyzer.toml .omnisharp omnisharp.json .vimspector.json .neoconf.json .ideavimrc .luarc.json .luarc.jsonc *.sublime-project .externalToolBuilders .solargraph.yml .ruby-lsp .ruby-lsp.yml',
  },
  {
    level: 'never',
    by: 'Vim, Emacs and their kind',
    names:
      '.exrc .vimrc .gvimrc .nvimrc .nvim.lua .lvimrc .local.vimrc .vim .dir-locals.el .dir-locals-2.el .emacs .emacs.d .lazy.lua .projectile',
  },
  {
    level: 'never',
    by: 'development containers',
    names:
      '.devcontainer .devcontainer.json .gitpod.yml .gitpod.yaml .gitpod.Dockerfile .replit replit.nix .stackblitzrc .codesandbox devfile.yaml .devfile.yaml devfile.yml .devfile.yml',
  },
  { level: 'never', by: 'git', names: '.git .gitmodules .gitconfig .githooks' },
  { level: 'never', by: 'other version control', names: '.hg .hgrc .hgsub .svn .bzr .jj .sl' },
  {
    level: 'never',
    by: 'Git hooks',
    names:
      '.husky .pre-commit-config.yaml .pre-commit-config.yml .pre-commit-hooks.yaml prek.toml .lefthook .lefthook-local lefthook.yml lefthook.yaml lefthook.toml lefthook.json lefthook-local.yml .lefthook.yml .lefthook.yaml .lefthook.toml .lefthook.json .overcommit.yml .simple-git-hooks.json .simple-git-hooks.js .simple-git-hooks.cjs simple-git-hooks.json simple-git-hooks.js simple-git-hooks.cjs grumphp.yml grumphp.yml.dist grumphp.yaml captainhook.json lefthook.jsonc .lefthook.jsonc lefthook-local.yaml lefthook-local.toml lefthook-local.json lefthook-local.jsonc .lefthook-local.yml .lefthook-local.yaml .lefthook-local.toml .lefthook-local.json .lefthook-local.jsonc',
  },
  {
    level: 'never',
    by: 'shells',
    names:
      '.envrc .autoenv .autoenv.zsh .mise .mise.toml .mise.local.toml mise.toml mise.local.toml .profile .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .zshrc .zshenv .zprofile .zlogin .zlogout .kshrc .cshrc .tcshrc .login .logout .inputrc .screenrc .tmux.conf .ssh .config/fish .config/git .config/nvim .config/mise .config/direnv .config/systemd .config/autostart .rtx.toml .miserc.toml .config/mise.toml .shadowenv.d .devbox .flox .xonshrc .config/environment.d .config/nushell .config/xonsh .config/zsh .config/helix .config/tmux .tmux mise/config.toml mise/config.local.toml mise.development.toml .mise.development.toml mise.production.toml .mise.production.toml mise.test.toml .mise.test.toml .xinitrc .xprofile .xsession .xsessionrc',
  },
  {
    level: 'never',
    by: 'debuggers and prompts of languages',
    names:
      '.gdbinit .gdbearlyinit .lldbinit .pdbrc .irbrc .pryrc .psqlrc .sqliterc .Rprofile .Renviron .ghci .ocamlinit .iex.exs .octaverc .ycm_extra_conf.py .byebugrc .rdbgrc .erlang .pythonrc .pythonrc.py .radare2rc .gnuplot .maxima .jupyter .ipython jupyter_notebook_config.py jupyter_server_config.py jupyter_lab_config.py ipython_config.py',
  },
  {
    level: 'never',
    by: 'package managers',
    names:
      '.npmrc .pnpmfile.cjs .pnpmfile.mjs .yarnrc .yarnrc.yml .yarn/plugins .yarn/releases bunfig.toml .cargo/config .cargo/config.toml .gemrc .condarc .bazelrc .curlrc .wgetrc .netrc .pip .config/pip pip.conf pip.ini .bundle/plugin .mill-jvm-opts .jvmopts .sbtopts Directory.Build.rsp MSBuild.rsp',
  },
  {
    level: 'never',
    by: 'the CI of the host of the code',
    names:
      '.github/workflows .github/actions .gitea/workflows .forgejo/workflows .gitlab-ci.yml .gitlab-ci.yaml .gitlab/ci .circleci .travis.yml .buildkite .drone.yml .woodpecker .woodpecker.yml .woodpecker.yaml .cirrus.yml .cirrus.star .semaphore .teamcity .tekton .builds .build.yml appveyor.yml .appveyor.yml azure-pipelines.yml azure-pipelines.yaml .azure-pipelines bitbucket-pipelines.yml Jenkinsfile buildspec.yml cloudbuild.yaml cloudbuild.yml .appveyor.yaml appveyor.yaml .drone.yaml .drone.star .drone.jsonnet .vela.yml .vela.yaml .cirun.yml codefresh.yml .codefresh .shippable.yml shippable.yml wercker.yml circle.yml .scrutinizer.yml .readthedocs.yml .readthedocs.yaml .zuul.yaml .zuul.d zuul.yaml .harness .onedev-buildspec.yml .azuredevops .bitrise.yml bitrise.yml codemagic.yaml .ebextensions .platform .xcode ci_scripts/ci_post_clone.sh ci_scripts/ci_pre_xcodebuild.sh ci_scripts/ci_post_xcodebuild.sh amplify.yml .github/dependabot.yml .github/dependabot.yaml .github/settings.yml CODEOWNERS .mergify .mergify.yml .github/mergify.yml renovate.json renovate.json5 .renovaterc .renovaterc.json .renovaterc.json5 .gitlab/agents cloudbuild.json buildspec.yaml appspec.yml appspec.yaml',
  },
  { level: 'asks', by: 'OpenClaw', names: 'TOOLS.md IDENTITY.md USER.md MEMORY.md' },
  {
    level: 'asks',
    by: 'npm, pnpm, Yarn, Bun and Deno',
    names:
      'package.json package.json5 package.yaml package-lock.json npm-shrinkwrap.json pnpm-lock.yaml pnpm-workspace.yaml yarn.lock bun.lock bun.lockb deno.json deno.jsonc deno.lock .pnp.cjs .pnp.loader.mjs lerna.json nx.json turbo.json turbo.jsonc rush.json',
  },
  {
    level: 'asks',
    by: 'JavaScript tools, which run it',
    names:
      '*.config.js *.config.cjs *.config.mjs *.config.ts *.config.cts *.config.mts *.setup.js *.setup.ts .eslintrc .eslintrc.js .eslintrc.cjs .eslintrc.json .babelrc .babelrc.js .babelrc.json .prettierrc.js .prettierrc.mjs .lintstagedrc .lintstagedrc.js .lintstagedrc.mjs .lintstagedrc.json .mocharc.js .mocharc.cjs .stylelintrc.js .commitlintrc.js .releaserc.js gulpfile.js gulpfile.mjs gulpfile.ts Gruntfile.js karma.conf.js .eslintrc.yml .eslintrc.yaml .babelrc.cjs .babelrc.mjs .prettierrc .prettierrc.json .prettierrc.json5 .prettierrc.yml .prettierrc.yaml .prettierrc.toml .prettierrc.cjs .prettierrc.ts .lintstagedrc.cjs .lintstagedrc.ts .lintstagedrc.yml .lintstagedrc.yaml .mocharc.json .mocharc.jsonc .mocharc.yml .mocharc.yaml .mocharc.mjs .stylelintrc .stylelintrc.json .stylelintrc.yml .stylelintrc.yaml .stylelintrc.cjs .stylelintrc.mjs .commitlintrc .commitlintrc.json .commitlintrc.yml .commitlintrc.yaml .commitlintrc.cjs .commitlintrc.ts .releaserc .releaserc.json .releaserc.yml .releaserc.yaml .releaserc.cjs .nycrc .nycrc.json .c8rc.json .swcrc .postcssrc .postcssrc.js .postcssrc.cjs .postcssrc.json .parcelrc .svgrrc.js .graphqlrc.js .graphqlrc.ts .detoxrc.js .umirc.ts .umirc.js .dumirc.ts .dependency-cruiser.js .dependency-cruiser.cjs .remarkrc.js .remarkrc.mjs .textlintrc.js .czrc .changelogrc.js .size-limit.js .huskyrc .huskyrc.js .storybook/main.js .storybook/main.ts .storybook/main.cjs .storybook/main.mjs .storybook/preview.js .storybook/preview.ts angular.json ember-cli-build.js Jakefile Jakefile.js Cakefile gulpfile.babel.js wallaby.js .wallaby.js .huskyrc.json .huskyrc.yml .huskyrc.yaml .vscode-test.js .vscode-test.mjs .vscode-test.cjs',
  },
  {
    level: 'asks',
    by: 'Make, CMake and their kind',
    names:
      'Makefile GNUmakefile makefile.am *.mk CMakeLists.txt CMakePresets.json CMakeUserPresets.json *.cmake meson.build configure configure.ac autogen.sh SConstruct SConscript wscript Justfile .justfile Taskfile.yml Taskfile.yaml Earthfile Tiltfile xmake.lua premake5.lua conanfile.py conanfile.txt vcpkg.json magefile.go Makefile.PL Build.PL Makefile.toml meson.options meson_options.txt .proverc .air.toml .goreleaser.yml .goreleaser.yaml bacon.toml Trunk.toml Cross.toml',
  },
  {
    level: 'asks',
    by: 'Bazel',
    names: 'BUILD BUILD.bazel WORKSPACE WORKSPACE.bazel MODULE.bazel *.bzl .bazelversion .bazeliskrc tools/bazel',
  },
  {
    level: 'asks',
    by: 'Python and its package managers',
    names:
      'pyproject.toml setup.py setup.cfg requirements.txt Pipfile Pipfile.lock poetry.lock uv.lock uv.toml tox.ini noxfile.py conftest.py pytest.ini sitecustomize.py usercustomize.py environment.yml fabfile.py dodo.py .pylintrc pylintrc .flake8 mypy.ini .mypy.ini .coveragerc pytest.toml .pytest.ini pixi.toml pixi.lock pdm.toml .pdm.toml hatch.toml hatch_build.py buildout.cfg',
  },
  {
    level: 'asks',
    by: 'Cargo, Go and their kind',
    names:
      'Cargo.toml Cargo.lock build.rs rust-toolchain rust-toolchain.toml go.mod go.sum go.work go.work.sum build.zig build.zig.zon Package.swift Package.resolved Podfile Cartfile pubspec.yaml *.nimble dune-project *.opam *.cabal cabal.project stack.yaml Setup.hs rebar.config mix.exs mix.lock shard.yml .golangci.yml .golangci.yaml .golangci.toml .golangci.json cabal.project.local cabal.project.freeze dune dune-workspace rebar.config.script .formatter.exs .credo.exs cpanfile dist.ini deps.edn project.clj build.clj shadow-cljs.edn bb.edn .luacheckrc .busted *.rockspec',
  },
  {
    level: 'asks',
    by: 'Maven, Gradle, sbt and Ant',
    names:
      'pom.xml mvnw mvnw.cmd .mvn/extensions.xml .mvn/maven.config .mvn/jvm.config wrapper/maven-wrapper.properties wrapper/maven-wrapper.jar *.gradle *.gradle.kts gradle.properties gradlew gradlew.bat wrapper/gradle-wrapper.properties wrapper/gradle-wrapper.jar *.sbt build.sc build.xml build.mill .scalafix.conf project/build.properties libs.versions.toml',
  },
  {
    level: 'asks',
    by: 'Ruby, PHP and .NET tools',
    names:
      'Rakefile Gemfile Gemfile.lock *.gemspec .rspec .bundle/config Guardfile Capfile Dangerfile Fastfile composer.json composer.lock .htaccess .user.ini *.csproj *.fsproj *.vbproj *.vcxproj *.sln *.props *.targets global.json nuget.config .rubocop.yml .simplecov config.ru Steepfile Appraisals phpunit.xml phpunit.xml.dist phpstan.neon phpstan.neon.dist .php-cs-fixer.php .php-cs-fixer.dist.php rector.php psalm.xml ecs.php *.cake *.proj *.shproj *.sqlproj *.slnx *.runsettings paket.dependencies .config/dotnet-tools.json',
  },
  {
    level: 'asks',
    by: 'containers and machines',
    names:
      'Dockerfile *.Dockerfile Containerfile docker-compose.yml docker-compose.yaml docker-compose.override.yml compose.yaml compose.yml compose.override.yaml Vagrantfile Procfile skaffold.yaml Brewfile flake.nix flake.lock shell.nix default.nix devenv.nix .tool-versions devbox.json aqua.yaml .prototools',
  },
  {
    level: 'asks',
    by: 'services that deploy',
    names:
      'netlify.toml vercel.json wrangler.toml wrangler.jsonc fly.toml render.yaml railway.json railway.toml nixpacks.toml heroku.yml .platform.app.yaml',
  },
  {
    level: 'asks',
    by: 'programs that load it as their environment',
    names: '.env .env.local .env.development .env.development.local .env.production .env.production.local .env.test',
  },
  { level: 'asks', by: 'git', names: '.gitattributes' },
  { level: 'asks', by: 'clangd', names: '.clangd' },
]

/** What obeys a file by its names from the top of a workspace down: `never` counts wherever it stands on the way. */
export function obeyedPath(names: readonly string[]): ObeyedNames | undefined {
  const found = names.map((name, index) => obeyedName(name, names[index - 1]))
  return found.find((each) => each?.level === 'never') ?? found.at(-1)
}

/** Whether an entry of this name, in a folder of that name, belongs to the owner alone, on any file system. */
export function isOwnersName(name: string, folder?: string): boolean {
  return obeyedName(name, folder)?.level === 'never'
}

/** What Git obeys in a folder that it takes for a repository, and what makes a folder one. */
const repository: ObeyedNames = { level: 'never', by: 'Git', names: 'HEAD commondir config config.worktree hooks' }

/** Whether Git takes a folder that holds these names for a repository, whatever the folder is called, on any file system. */
export function looksLikeRepository(names: Iterable<string>): boolean {
  const found = new Set<string>()
  // A folder may have very many names.
  for (const name of names) if (/^[hcor]|[^\x20-\x7e]/i.test(name)) found.add(plainName(name))
  return found.has('head') && (found.has('commondir') || (found.has('objects') && found.has('refs')))
}

/** What obeys an entry by the names beside it: of a repository its settings and hooks, and anything that makes a folder one. */
export function obeyedBeside(name: string, beside: readonly string[]): ObeyedNames | undefined {
  if (looksLikeRepository(beside)) return obeyedInRepository(name)
  return looksLikeRepository([...beside, name]) ? repository : undefined
}

function obeyedInRepository(name: string): ObeyedNames | undefined {
  const plain = plainName(name)
  return repository.names.toLowerCase().split(' ').includes(plain) || /^co[a-z0-9]{1,4}~\d+(?:\.wor)?$/.test(plain)
    ? repository
    : undefined
}

/** What obeys an entry of this name, in a folder of that name, on any file system. */
export function obeyedName(name: string, folder = '', isRepository = false): ObeyedNames | undefined {
  if (isRepository && obeyedInRepository(name)) return repository
  // A name here is a way on Windows, where an archive may be unpacked.
  if (name.includes('\\')) return obeyedPath([folder, ...name.split('\\')])
  const plain = plainName(name)
  const path = `${plainName(folder)}/${plain}`
  const own = byName().get(plain) ?? byName().get(path)
  if (own) return own
  for (let dot = plain.indexOf('.'); dot !== -1; dot = plain.indexOf('.', dot + 1)) {
    const ending = byName().get(`*${plain.slice(dot)}`)
    if (ending) return ending
  }
  return path.includes('~') ? byShortName(path.split('/')) : undefined
}

let entries: ReadonlyMap<string, ObeyedNames> | undefined

/** Made when the first name is looked up, as `byEnd` is: a start looks up none. */
function byName(): ReadonlyMap<string, ObeyedNames> {
  return (entries ??= new Map(
    obeyedNames.flatMap((entry) => entry.names.split(' ').map((name) => [name.toLowerCase(), entry] as const)),
  ))
}

/**
 * A name without what some file systems ignore: case, the form of characters, invisible ones; on Windows dots and spaces at
 * the end, and streams.
 */
function plainName(name: string): string {
  const visible = /^[\x20-\x7e]*$/.test(name)
    ? name
    : name.normalize('NFKC').replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '')
  const [file] = visible.split(':', 1)
  return file!
    .replace(/[. ]+$/, '')
    .toUpperCase()
    .toLowerCase()
}

/** Windows gives each long name a second one, such as `GIT~1`: which number it has depends on what lies beside it. */
function byShortName(given: readonly string[]): ObeyedNames | undefined {
  const parts = given.map((name) => ({ name, short: SHORT_NAME.exec(name) }))
  const { name, short } = parts.at(-1)!
  const alike = byEnd().get(short ? (short[3] ?? '') : `/${name}`)
  return alike?.find(({ names }) => {
    const own = parts.slice(-names.length)
    return names.every((each, index) => own[index]!.name === each.name || isShortFor(own[index]!.short, each))
  })?.entry
}

const SHORT_NAME = /^([^.]{1,6})~(\d{1,6})(?:\.([^.]{1,3}))?$/

let shortNames: ReadonlyMap<string, readonly ShortName[]> | undefined

/** By the end of their last name, and by `/` and that name. */
function byEnd(): ReadonlyMap<string, readonly ShortName[]> {
  return (shortNames ??= Map.groupBy(
    [...byName()].flatMap(([path, entry]) => {
      const names = path.split('/').map(shortParts)
      const { name, end } = names.at(-1)!
      return [end, `/${name}`].map((key) => ({ key, names, entry }))
    }),
    ({ key }) => key,
  ))
}

interface ShortName {
  readonly names: readonly ShortParts[]
  readonly entry: ObeyedNames
}

type ShortParts = ReturnType<typeof shortParts>

/** The letters of a short name, before its number and behind the dot; `undefined` before the number where any may be there. */
function shortParts(name: string) {
  const long = name.replace(/^[*. ]+/, name.startsWith('*') ? '.' : '')
  const dot = long.lastIndexOf('.')
  const [stem, end] = dot === -1 ? [long, ''] : [long.slice(0, dot), long.slice(dot + 1, dot + 4)]
  return { name, stem: name.startsWith('*') ? undefined : stem.replaceAll(/[. ]/g, ''), end }
}

function isShortFor(short: RegExpExecArray | null, { stem, end }: ShortParts): boolean {
  const [, base = '', number = '', ending = ''] = short ?? []
  if (!short || end !== ending) return false
  // Where many names are alike, four digits of a checksum follow the first two characters.
  return (
    stem === undefined ||
    base === stem.slice(0, 7 - number.length) ||
    (base.startsWith(stem.slice(0, 2)) && /^.{1,2}[0-9a-f]{4}$/.test(base))
  )
}

/** Folders with very many files of others, which nothing obeys where they lie. */
export const packageFolders: ReadonlySet<string> = new Set(['node_modules', '.venv', 'venv', '__pycache__'])
