// Skipping agrees with decoding: of made values of each kind, and of the same with changed bytes.

use super::{cursor::Cursor, skip};
use crate::{
    random::Random,
    xdr_codec::{
        encode,
        xdr::{
            AccountEntry, AccountEntryExt, AccountEntryExtensionV1, AccountEntryExtensionV1Ext,
            AccountEntryExtensionV2, AccountEntryExtensionV2Ext, AccountEntryExtensionV3,
            AccountId, AlphaNum12, AlphaNum4, Asset, ContractCodeEntry, ContractCodeEntryExt,
            ContractCodeEntryV1, ContractDataEntry, ContractEvent, ContractEventBody,
            ContractEventV0, ContractExecutable, DataEntry, DiagnosticEvent, LedgerEntry,
            LedgerEntryData, LedgerEntryExt, LedgerEntryExtensionV1, OfferEntry, ReadXdr,
            ScAddress, ScContractInstance, ScError, ScErrorCode, ScMap, ScMapEntry, ScSymbol,
            ScVal, ScVec, Signer, SignerKey, SignerKeyEd25519SignedPayload, SponsorshipDescriptor,
            TransactionEvent, TrustLineAsset, TrustLineEntry, TrustLineEntryExt,
            TrustLineEntryExtensionV2, TrustLineEntryV1, TrustLineEntryV1Ext, TtlEntry,
        },
    },
};

/// The number of mutations of each value.
const MUTATIONS: u64 = 3_000;

fn values() -> Vec<ScVal> {
    let symbol = ScVal::Symbol(ScSymbol("limit".try_into().expect("short")));
    let map = ScMap(
        vec![ScMapEntry { key: symbol.clone(), val: ScVal::U256(Default::default()) }]
            .try_into()
            .expect("one entry"),
    );
    let instance =
        |executable, storage| ScVal::ContractInstance(ScContractInstance { executable, storage });
    let plain = vec![
        ScVal::Bool(true),
        ScVal::Void,
        ScVal::Error(ScError::Contract(7)),
        ScVal::Error(ScError::Budget(ScErrorCode::ExceededLimit)),
        ScVal::U32(1),
        ScVal::I64(-1),
        ScVal::Timepoint(Default::default()),
        ScVal::I128(Default::default()),
        ScVal::Bytes(vec![1, 2, 3, 4, 5].try_into().expect("short")),
        ScVal::String(Default::default()),
        symbol,
        ScVal::Vec(None),
        ScVal::Map(Some(map.clone())),
        ScVal::Address(ScAddress::Account(AccountId::default())),
        ScVal::Address(ScAddress::Contract(Default::default())),
        ScVal::LedgerKeyContractInstance,
        ScVal::LedgerKeyNonce(Default::default()),
        instance(ContractExecutable::Wasm(Default::default()), Some(map)),
        instance(ContractExecutable::StellarAsset, None),
    ];
    let all = ScVal::Vec(Some(ScVec(plain.clone().try_into().expect("a short list"))));
    let deep = (0..40).fold(ScVal::Void, |inner, _| {
        ScVal::Vec(Some(ScVec(vec![inner].try_into().expect("one element"))))
    });
    plain.into_iter().chain([all, deep]).collect()
}

fn account() -> AccountEntry {
    let sponsored = AccountEntryExtensionV2 {
        num_sponsored: 1,
        num_sponsoring: 2,
        signer_sponsoring_i_ds: vec![
            SponsorshipDescriptor(None),
            SponsorshipDescriptor(Some(AccountId::default())),
        ]
        .try_into()
        .expect("two"),
        ext: AccountEntryExtensionV2Ext::V3(AccountEntryExtensionV3::default()),
    };
    let payload = SignerKeyEd25519SignedPayload {
        ed25519: Default::default(),
        payload: vec![1; 29].try_into().expect("short"),
    };
    let signers = [SignerKey::HashX(Default::default()), SignerKey::Ed25519SignedPayload(payload)];
    AccountEntry {
        inflation_dest: Some(AccountId::default()),
        home_domain: "example.org".parse().map(crate::xdr_codec::xdr::String32).expect("short"),
        signers: signers.map(|key| Signer { key, weight: 1 }).to_vec().try_into().expect("two"),
        ext: AccountEntryExt::V1(AccountEntryExtensionV1 {
            liabilities: Default::default(),
            ext: AccountEntryExtensionV1Ext::V2(sponsored),
        }),
        ..AccountEntry::default()
    }
}

fn entries() -> Vec<LedgerEntry> {
    use LedgerEntryData as D;
    let trustline = |asset, ext| D::Trustline(TrustLineEntry { asset, ext, ..Default::default() });
    let with_pools = TrustLineEntryV1 {
        liabilities: Default::default(),
        ext: TrustLineEntryV1Ext::V2(TrustLineEntryExtensionV2::default()),
    };
    let code = |ext| {
        let code = vec![0; 13].try_into().expect("short");
        D::ContractCode(ContractCodeEntry { ext, code, ..Default::default() })
    };
    let data = values().into_iter().map(|val| {
        D::ContractData(ContractDataEntry { key: val.clone(), val, ..Default::default() })
    });
    let others = [
        D::Account(AccountEntry::default()),
        D::Account(account()),
        trustline(TrustLineAsset::Native, TrustLineEntryExt::V0),
        trustline(TrustLineAsset::CreditAlphanum4(AlphaNum4::default()), TrustLineEntryExt::V0),
        trustline(TrustLineAsset::PoolShare(Default::default()), TrustLineEntryExt::V1(with_pools)),
        D::Offer(OfferEntry::default()),
        D::Offer(OfferEntry {
            selling: Asset::CreditAlphanum12(AlphaNum12::default()),
            ..Default::default()
        }),
        code(ContractCodeEntryExt::V0),
        code(ContractCodeEntryExt::V1(ContractCodeEntryV1::default())),
        D::Ttl(TtlEntry { live_until_ledger_seq: 77, ..Default::default() }),
        D::Data(DataEntry::default()),
    ];
    let sponsored = LedgerEntryExtensionV1 {
        sponsoring_id: SponsorshipDescriptor(Some(AccountId::default())),
        ..Default::default()
    };
    let all: Vec<_> = others.into_iter().chain(data).collect();
    [LedgerEntryExt::V0, LedgerEntryExt::V1(sponsored)]
        .into_iter()
        .flat_map(|ext| {
            let entry = move |data| LedgerEntry { data, ext: ext.clone(), ..Default::default() };
            all.clone().into_iter().map(entry)
        })
        .collect()
}

/// Calls `check` with the bytes of a value and with changed ones, before other bytes.
fn with_mutations(bytes: &[u8], check: impl Fn(&[u8])) {
    let followed = [bytes, &[1; 9]].concat();
    check(&followed);
    for seed in 0..MUTATIONS {
        check(&Random(seed).mutated(&followed));
    }
}

/// Decoding finds the length that skipping found.
fn agree<T: ReadXdr>(bytes: &[u8], length: Option<usize>) {
    let Some(length) = length else { return };
    assert_eq!(Cursor::new(bytes).range_of::<T>(), Ok(0..length));
}

#[test]
fn an_entry_is_skipped_as_it_is_decoded() {
    let mut skipped = 0;
    for entry in entries() {
        let bytes = encode(&entry);
        skipped += usize::from(skip::entry(&bytes).is_some());
        with_mutations(&bytes, |bytes| {
            let Some(found) = skip::entry(bytes) else { return };
            let mut cursor = Cursor::new(bytes);
            let decoded: LedgerEntry = cursor.value().expect("a skipped entry decodes");
            assert_eq!((found.length, found.entry_type), (cursor.at, decoded.data.discriminant()));
            let live_until = match &decoded.data {
                LedgerEntryData::Ttl(ttl) => Some(ttl.live_until_ledger_seq),
                _ => None,
            };
            assert_eq!(found.live_until, live_until);
            if !matches!(decoded.data, LedgerEntryData::Offer(_)) {
                assert_eq!(found.key[..], encode(&decoded.to_key()));
            }
        });
    }
    // An account's data is decoded, and so is what is deeper than usual.
    assert_eq!(skipped, entries().len() - 4);
}

#[test]
fn values_and_events_are_skipped_as_they_are_decoded() {
    let mut skipped = 0;
    for value in values() {
        let event = ContractEvent {
            body: ContractEventBody::V0(ContractEventV0 {
                topics: vec![value.clone(), value.clone()].try_into().expect("two"),
                data: value.clone(),
            }),
            ..Default::default()
        };
        skipped += usize::from(skip::value(&encode(&value)).is_some());
        with_mutations(&encode(&value), |bytes| agree::<ScVal>(bytes, skip::value(bytes)));
        let diagnostic = DiagnosticEvent { event: event.clone(), ..Default::default() };
        let of_transaction = TransactionEvent { event: event.clone(), ..Default::default() };
        with_mutations(&encode(&event), |bytes| {
            agree::<ContractEvent>(bytes, skip::contract_event(bytes))
        });
        with_mutations(&encode(&diagnostic), |bytes| {
            agree::<DiagnosticEvent>(bytes, skip::diagnostic_event(bytes))
        });
        with_mutations(&encode(&of_transaction), |bytes| {
            agree::<TransactionEvent>(bytes, skip::transaction_event(bytes))
        });
    }
    assert_eq!(skipped, values().len() - 1);
}
