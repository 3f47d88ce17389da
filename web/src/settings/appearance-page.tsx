import { type ReactNode, useState } from 'react'
import { Button } from '../parts/button.tsx'
import { chooseNotices, chosenNotices } from '../parts/notices.ts'
import { chooseTheme, chosenTheme, themes } from '../parts/theme.ts'

export default function AppearancePage(): ReactNode {
  const [theme, setTheme] = useState(chosenTheme)
  return (
    <div className="flex flex-col gap-4">
      <p className="text-soft">How the page looks, and when it calls you. Both belong to this browser.</p>
      <fieldset className="flex flex-col gap-2 text-sm">
        <legend className="mb-2 font-medium">Colours</legend>
        {themes.map(({ id, title }) => (
          <label key={id} className="flex items-center gap-2">
            <input
              type="radio"
              name="theme"
              checked={theme === id}
              className="accent-accent"
              onChange={() => {
                chooseTheme(id)
                setTheme(id)
              }}
            />
            {title}
          </label>
        ))}
      </fieldset>
      <Notices />
    </div>
  )
}

const noticeWords = {
  on: 'While this page is hidden, a notification says that a question waits for you or that a long turn has ended.',
  off: 'Be told when a question waits for you, or a turn of more than 30 seconds ends, while this page is hidden.',
  blocked: 'This browser blocks notifications of this page. Allow them in the settings of the site.',
} as const

function Notices(): ReactNode {
  const [choice, setChoice] = useState(chosenNotices)
  return (
    <section aria-labelledby="notices" className="flex flex-col items-start gap-2 text-sm">
      <h2 id="notices" className="font-medium">
        Notifications
      </h2>
      <p role="status">{noticeWords[choice]}</p>
      {choice !== 'blocked' && (
        <Button look="plain" onClick={() => void chooseNotices(choice === 'off').then(setChoice)}>
          {choice === 'on' ? 'No notifications' : 'Notify me'}
        </Button>
      )}
    </section>
  )
}
