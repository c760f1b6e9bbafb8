/** Page: all components in all their states. Tests take screenshots of this page. */
import type { ComponentChildren } from 'preact'
import { Banner, type BannerTone } from '../../src/pages/components/banner.tsx'
import { Button, ButtonLink, IconButton } from '../../src/pages/components/button.tsx'
import { Card } from '../../src/pages/components/card.tsx'
import { Chip } from '../../src/pages/components/chip.tsx'
import { ChoiceCard, ChoiceLink } from '../../src/pages/components/choice-card.tsx'
import { DataTable } from '../../src/pages/components/data-table.tsx'
import { FileRow } from '../../src/pages/components/file-row.tsx'
import { Avatar, Flag, Glyph, Icon, type IconName } from '../../src/pages/components/icon.tsx'
import { ICONS } from '../../src/pages/components/icons.ts'
import { Menu } from '../../src/pages/components/menu.tsx'
import { heroClass, type Outcome, OutcomeMark } from '../../src/pages/components/outcome-hero.tsx'
import { Ring } from '../../src/pages/components/progress.tsx'
import { ShareBar } from '../../src/pages/components/share-bar.tsx'
import { Tabs } from '../../src/pages/components/tabs.tsx'
import { TaskRow } from '../../src/pages/components/task-row.tsx'
import { Toast } from '../../src/pages/components/toast.tsx'

const Part = ({ title, children }: { title: string; children: ComponentChildren }) => (
  <section class="gallery-part" aria-labelledby={title.replaceAll(' ', '-')}>
    <h2 id={title.replaceAll(' ', '-')}>{title}</h2>
    {children}
  </section>
)

export const Gallery = () => (
  <main id="content" class="gallery">
    <h1>Components</h1>
    <Part title="Buttons">
      <div class="actions">
        <Button>Continue</Button>
        <Button aria-busy="true">Saving…</Button>
        <Button aria-disabled="true" icon="lock">
          Locked
        </Button>
        <Button kind="secondary">Secondary</Button>
        <Button kind="tonal" icon="plus">
          Add
        </Button>
        <Button kind="danger">Reject</Button>
        <Button kind="quiet">Cancel</Button>
        <Button kind="link">Remove</Button>
        <ButtonLink href="#" endIcon="arrow-right">
          Next
        </ButtonLink>
        <IconButton icon="x" label="Close" />
        <Menu label="More" kind="secondary">
          <a href="#content">
            <Icon name="download" /> Download
          </a>
        </Menu>
      </div>
    </Part>
    <Part title="Fields">
      <div class="field-pair">
        <div class="field">
          <label for="resting">Resting</label>
          <input id="resting" type="text" value="HRB 204518 B" />
        </div>
        <div class="field">
          <label for="locked">Locked</label>
          <span class="locked">
            <input id="locked" type="text" value="HRB 204518 B" readonly />
            <Icon name="lock" />
          </span>
        </div>
      </div>
      <div class="field-pair">
        <div class="field field-invalid">
          <label for="error">Error</label>
          <input id="error" type="text" value="HRB" aria-invalid="true" aria-describedby="error-problem" />
          <p class="problem" id="error-problem">
            Enter the number as in the register
          </p>
        </div>
        <div class="field">
          <label for="select">
            List <span class="optional">(optional)</span>
          </label>
          <select id="select">
            <option>Limited company (GmbH)</option>
          </select>
        </div>
      </div>
      <fieldset class="field">
        <legend>Yes or no</legend>
        <div class="choices-row">
          {['Yes', 'No'].map((each, index) => (
            <label key={each} class="choice">
              <input type="radio" name="yes-or-no" checked={index === 0} />
              <span>{each}</span>
            </label>
          ))}
        </div>
      </fieldset>
      <label class="choice">
        <input type="checkbox" checked />
        <span>Chosen</span>
      </label>
    </Part>
    <Part title="Choice cards">
      <div class="choice-cards">
        <ChoiceCard
          name="how"
          value="link"
          label="Send them a link"
          text="They take the photos themselves."
          icon="smartphone"
          checked
        />
        <ChoiceCard
          name="how"
          value="upload"
          label="Upload their ID"
          text="You have both sides."
          icon="upload"
        />
        <ChoiceLink
          href="#content"
          isChosen={false}
          label="Link"
          text="Works without scripts."
          icon="qr-code"
        />
      </div>
    </Part>
    <Part title="Banners">
      {(['warning', 'danger', 'info', 'success'] satisfies BannerTone[]).map((tone) => (
        <Banner key={tone} tone={tone} title="Three things to fix.">
          Reply by 2 December.
        </Banner>
      ))}
      <Banner tone="warning" title="Three things to fix.">
        <p>Reply by 2 December.</p>
      </Banner>
    </Part>
    <Part title="Chips and glyphs">
      <div class="actions">
        <Chip icon="sparkles">New</Chip>
        <Chip tone="info" icon="undo-2">
          Resubmitted
        </Chip>
        <Chip tone="accent" icon="users">
          Second approval
        </Chip>
        <Chip tone="success" icon="check">
          Added
        </Chip>
        <Chip tone="warning" icon="id-card">
          ID needed
        </Chip>
        <Chip tone="danger" icon="circle-alert">
          Not readable
        </Chip>
      </div>
      <div class="actions">
        {(['done', 'started', 'todo', 'warning', 'refused', 'info'] as const).map((state) => (
          <Glyph key={state} state={state} label={state} share={0.6} />
        ))}
        <Ring share={0.7} size={44} width={4} />
        <Avatar name="Mira Brandt" />
        <Avatar name="lk@nordlicht.example" isSmall isColoured />
        <Flag country="DE" label="Germany" />
      </div>
      <ShareBar
        shares={[
          { name: 'Mira Brandt', percent: 60, text: '60%' },
          { name: 'Jonas Reuter', percent: 25, text: '25%' },
        ]}
      />
      <progress max="1" value="0.6" aria-label="Progress" />
    </Part>
    <Part title="Rows">
      <ul class="card rows">
        <TaskRow
          href="#content"
          icon="building-2"
          name="Company details"
          note="Registered details, address and activity"
          state="done"
          status="Done"
        />
        <TaskRow
          href="#content"
          icon="users"
          name="Owners and directors"
          note="Mira Brandt is done"
          state="started"
          share={0.6}
          status="1 left"
        />
        <TaskRow
          href={null}
          icon="send"
          name="Check and send"
          note="Opens when everything is done"
          state="todo"
          status="Not yet"
        />
      </ul>
      <ul class="card rows">
        <FileRow
          name="Articles of association"
          note="articles.pdf · 1.8 MB"
          state="added"
          end={
            <Chip tone="success" icon="check">
              Added
            </Chip>
          }
        />
        <FileRow
          name="Register of directors"
          note="directors.jpg · 640 kB"
          state="refused"
          end={<Button kind="secondary">Replace</Button>}
        >
          <Banner tone="danger" title="The text is blurred.">
            Send the PDF.
          </Banner>
        </FileRow>
        <FileRow
          name="Proof of ownership"
          note="Shareholder list or trust deed"
          state="missing"
          icon="landmark"
          end={
            <Button kind="tonal" icon="plus">
              Add
            </Button>
          }
        />
      </ul>
      <Card
        id="gallery-card"
        icon="map-pin"
        title="Address"
        text="Where the company is registered"
        end={<Chip>2 left</Chip>}
      >
        <dl class="values">
          <div>
            <dt>City</dt>
            <dd>Berlin</dd>
          </div>
        </dl>
      </Card>
    </Part>
    <Part title="Tabs and tables">
      <Tabs
        label="Tabs"
        tabs={[
          { href: '#content', name: 'Summary', isCurrent: true },
          { href: '#documents', name: 'Documents', count: 7, isCurrent: false },
          { href: '#screening', name: 'Screening', count: 1, isUrgent: true, isCurrent: false },
        ]}
      />
      <DataTable
        isLinked
        rows={[
          { name: 'Lindenhof Instruments GmbH', risk: 'Low' },
          { name: 'Harbour Logistics Ltd', risk: 'High' },
        ]}
        keyOf={({ name }) => name}
        columns={[
          {
            key: 'name',
            head: 'Name',
            cell: ({ name }) => (
              <a class="row-link" href="#content">
                {name}
              </a>
            ),
          },
          { key: 'risk', head: 'Risk', cell: ({ risk }) => risk },
        ]}
      />
    </Part>
    <Part title="Outcomes">
      {(['received', 'approved', 'rejected', 'closed'] satisfies Outcome[]).map((outcome) => (
        <div key={outcome} class="card gallery-hero">
          <div class={heroClass(outcome)}>
            <OutcomeMark outcome={outcome} />
            <h3>The result</h3>
            <p>One sentence about it.</p>
          </div>
        </div>
      ))}
    </Part>
    <Part title="Drawer and toast">
      <div class="card">
        <div class="drawer">
          <div class="drawer-head">
            <h3>Decide</h3>
          </div>
          <div class="drawer-body">
            <p>The body of the drawer scrolls.</p>
          </div>
          <div class="drawer-foot">
            <Button>Request 3 corrections</Button>
          </div>
        </div>
      </div>
      <Toast action={<Button>Show</Button>}>Decision saved.</Toast>
    </Part>
    <Part title="Icons">
      <div class="actions">
        {(Object.keys(ICONS) as IconName[]).map((name) => (
          <Icon key={name} name={name} size={20} />
        ))}
      </div>
    </Part>
  </main>
)
