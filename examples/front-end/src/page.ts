import { ClientError } from '@latchhook/client';

export type Action = (fields: FormData) => Promise<void>;

export function byId<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const element = document.getElementById(id);
  if (!(element instanceof kind)) throw new Error(`The page has no ${kind.name} #${id}.`);
  return element;
}

export function make(tag: string, className: string, ...children: (Node | string)[]): HTMLElement {
  const element = document.createElement(tag);
  element.className = className;
  element.append(...children);
  return element;
}

/** An entry of a list, with a button if there is an action. */
export function makeEntry(title: string, details: string, label = '', action?: Action): Node {
  const text = make('span', '', make('strong', '', title), make('span', 'detail', details));
  if (!action) return make('li', '', text);
  const button = make('button', 'danger', label);
  button.ariaLabel = `${label}: ${title}`;
  button.addEventListener('click', () => void runAction(button, action));
  return make('li', '', text, button);
}

export function formatTime(time: string): string {
  return new Date(time).toLocaleString('en', { dateStyle: 'medium', timeStyle: 'short' });
}

/** Shows only the children whose `data-when` includes the state, and focuses their element with `data-focus`. */
export function setState(element: HTMLElement, state: string): void {
  element.dataset['state'] = state;
  for (const child of element.querySelectorAll<HTMLElement>(':scope > [data-when]')) {
    child.hidden = !child.dataset['when']?.split(' ').includes(state);
    if (!child.hidden) child.querySelector<HTMLElement>('[data-focus]')?.focus();
  }
}

/** Announces a change to screen readers. If the focused button is gone, focuses the title of the section. */
export function announce(text: string, element: HTMLElement): void {
  byId('status', HTMLElement).textContent = text;
  if (!document.activeElement?.matches('body, [hidden], [hidden] *')) return;
  element.closest('section')?.querySelector('h2')?.focus();
}

export function bindAction(type: 'click' | 'submit', id: string, action: Action): void {
  const control = byId(id, HTMLElement);
  control.addEventListener(type, (event) => {
    event.preventDefault();
    void runAction(control, action);
  });
}

/** Runs the action of a control, unless it is running already, and shows its error in the section of the control. */
export async function runAction(control: HTMLElement, action: Action): Promise<void> {
  if (control.dataset['busy']) return;
  control.dataset['busy'] = 'true';
  document.querySelector('[role=alert]')?.remove();
  byId('status', HTMLElement).textContent = '';
  try {
    await action(new FormData(control instanceof HTMLFormElement ? control : undefined));
  } catch (error) {
    const alert = make('p', 'danger', explain(error, control.dataset));
    alert.role = 'alert';
    control.closest('section')?.querySelector('h1, h2')?.after(alert);
    const field = control.querySelector<HTMLInputElement>('input[data-focus]');
    field?.focus();
    field?.select();
  }
  delete control.dataset['busy'];
}

/** The message for an error. `messages` are those of the control, by error code: `data-not_found` and others. */
function explain(error: unknown, messages: DOMStringMap): string {
  if (!(error instanceof ClientError)) {
    reportError(error);
    return 'Something went wrong. Load the page again.';
  }
  const { code, message, fields, attemptsRemaining, retryAfterSeconds } = error;
  return [
    messages[code] ?? message,
    ...fields.map(({ field, message }) => `${field} ${message}.`),
    ...(attemptsRemaining ? [`Attempts left: ${attemptsRemaining}.`] : []),
    ...(retryAfterSeconds ? [`Try again in ${formatDuration(retryAfterSeconds)}.`] : []),
  ].join(' ');
}

function formatDuration(seconds: number): string {
  const [value, unit] = seconds < 90 ? [seconds, 'second'] : [Math.ceil(seconds / 60), 'minute'];
  return new Intl.NumberFormat('en', { style: 'unit', unit, unitDisplay: 'long' }).format(value);
}
