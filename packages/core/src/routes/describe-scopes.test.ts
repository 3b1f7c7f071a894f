import { describe, expect, it } from 'vitest';
import { builtInScopes, createScopeTable } from '../scopes/scope-table.ts';
import { describeScopes } from './describe-scopes.ts';

describe('the description of the scopes of an app', () => {
  it('is absent if the app defines none', () => {
    expect(describeScopes(builtInScopes)).toEqual({});
  });

  it('lists the name and the description of each, on one line', () => {
    const table = createScopeTable({
      'billing:read': { description: 'Read invoices.', sensitive: false },
      'billing:all': { description: ' Read\n\n  and write\ninvoices. ' },
      bare: {},
    });
    expect(describeScopes(table).description?.split('\n')).toEqual([
      'Scopes of this app:',
      '',
      '- `billing:read` Read invoices.',
      '- `billing:all` Read and write invoices.',
      '- `bare`',
    ]);
  });

  it('says which are sensitive and which are stepUp, and what that means', () => {
    const table = createScopeTable({
      'billing:write': { description: 'Write invoices.', sensitive: true },
      payout: { description: 'Pay money out.', sensitive: true, stepUp: true },
      secret: { stepUp: true },
    });
    expect(describeScopes(table).description?.split('\n')).toEqual([
      'Scopes of this app:',
      '',
      '- `billing:write` (sensitive) Write invoices.',
      '- `payout` (sensitive, stepUp) Pay money out.',
      '- `secret` (stepUp)',
      '',
      expect.stringMatching(/^sensitive: .*immediately\.$/),
      '',
      expect.stringMatching(/^stepUp: .*dropped at refresh/),
    ]);
  });

  it('explains only the properties that a scope has', () => {
    const { description } = describeScopes(createScopeTable({ payout: { stepUp: true } }));
    expect(description).toContain('stepUp: ');
    expect(description).not.toContain('sensitive');
  });
});
