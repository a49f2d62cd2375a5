// SPDX-License-Identifier: GPL-2.0-only
'use strict';
'require baseclass';

