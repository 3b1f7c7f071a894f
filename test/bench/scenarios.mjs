import { bearer } from './scenarios/bearer.mjs';
import { bearerBesideLogins } from './scenarios/bearer-beside-logins.mjs';
import { bearerUnseen } from './scenarios/bearer-unseen.mjs';
import { coldStart } from './scenarios/cold-start.mjs';
import { bearerCookies, refreshCookies } from './scenarios/cookies.mjs';
import { deliveries, deliveriesApart, deliveriesApartOnPostgres } from './scenarios/deliveries.mjs';
import { deliveryBloat } from './scenarios/delivery-bloat.mjs';
import { deliveryGrowth } from './scenarios/delivery-growth.mjs';
import { deliveryLatency } from './scenarios/delivery-latency.mjs';
import { footprint } from './scenarios/footprint.mjs';
import { password, passwordPlain } from './scenarios/password.mjs';
import { refresh } from './scenarios/refresh.mjs';
import { refreshStorages } from './scenarios/refresh-storages.mjs';
import { roundTrips } from './scenarios/round-trips.mjs';
import { unknownUser } from './scenarios/unknown-user.mjs';

/** All scenarios, by name. Those with a `request` can be profiled too. */
export const scenarios = {
  bearer,
  'bearer-unseen': bearerUnseen,
  'bearer-beside-logins': bearerBesideLogins,
  'bearer-cookies': bearerCookies,
  refresh,
  'refresh-cookies': refreshCookies,
  'refresh-storages': refreshStorages,
  password,
  'password-plain': passwordPlain,
  deliveries,
  'deliveries-apart': deliveriesApart,
  'deliveries-apart-postgres': deliveriesApartOnPostgres,
  'delivery-latency': deliveryLatency,
  'delivery-growth': deliveryGrowth,
  'delivery-bloat': deliveryBloat,
  'unknown-user': unknownUser,
  'round-trips': roundTrips,
  'cold-start': coldStart,
  footprint,
};
