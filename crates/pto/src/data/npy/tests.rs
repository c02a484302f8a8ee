use super::*;

/// A file as NumPy writes it.
fn file(header: &str, numbers: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(numbers);
    bytes
}

fn parse(bytes: &[u8]) -> Result<Stored, DataError> {
    read(&mut &bytes[..])
}

fn message(bytes: &[u8]) -> String {
    parse(bytes).err().map(|e| e.to_string()).unwrap_or_default()
}

#[test]
fn rows_come_as_they_are() {
    let bytes =
        file("{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }  \n", &[0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0]);
    assert_eq!(parse(&bytes).and_then(|s| s.into_array(DType::I16)), Array::iota(DType::I16, &[2, 3]));
}

#[test]
fn columns_and_high_bytes_first_are_turned_around() {
    let bytes =
        file("{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3), }", &[0, 0, 0, 3, 0, 1, 0, 4, 0, 2, 0, 5]);
    assert_eq!(parse(&bytes).and_then(|s| s.into_array(DType::I16)), Array::iota(DType::I16, &[2, 3]));
}

#[test]
fn a_single_number_and_none_at_all() {
    let one = parse(&file("{'descr': '|u1', 'fortran_order': False, 'shape': ()}", &[7])).expect("a number");
    assert_eq!((one.shape().len(), one.count(), one.number(0)), (0, 1, AnyNumber::Int(7)));
    let none = parse(&file("{'descr': '<f8', 'fortran_order': False, 'shape': (0, 4L)}", &[])).expect("an array");
    assert_eq!((none.shape(), none.count()), (&[0, 4][..], 0));
}

#[test]
fn writing_reads_back() {
    for dtype in DType::ALL {
        for shape in [&[8][..], &[2, 6], &[2, 1, 4]] {
            let array = Array::random(dtype, shape, 1).expect("small");
            let mut bytes = Vec::new();
            write(&array, &mut bytes).expect("written");
            assert_eq!((bytes.len() - array.bytes().len()) % 64, 0);
            assert_eq!(parse(&bytes).and_then(|s| s.into_array(dtype)), Ok(array));
        }
    }
}

#[test]
fn numbers_that_share_a_byte_are_counted_as_bytes() {
    let mut bytes = Vec::new();
    write(&Array::iota(DType::I4, &[3, 3]).expect("small"), &mut bytes).expect("written");
    let stored = parse(&bytes).expect("readable");
    assert_eq!((stored.ty().to_string(), stored.shape()), ("uint8".to_string(), &[5][..]));
    assert_eq!(stored.into_array(DType::I4).map(|a| a.shape().to_vec()), Ok(vec![10]));
}

/// `np.save` of `np.arange(3, dtype=np.float32).reshape(1, 3)`.
#[test]
fn headers_are_numpys_own() {
    let mut bytes = Vec::new();
    write(&Array::iota(DType::F32, &[1, 3]).expect("small"), &mut bytes).expect("written");
    let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 3), }";
    assert_eq!(&bytes[..10], b"\x93NUMPY\x01\x00v\x00");
    assert_eq!(std::str::from_utf8(&bytes[10..128]), Ok(&*format!("{header:<117}\n")));
}

#[test]
fn types_numpy_does_not_know() {
    for descr in ["<V2", "<u2", "bfloat16"] {
        let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': (1,)}}");
        let one = parse(&file(&header, &[0x80, 0x3f])).and_then(|s| s.into_array(DType::Bf16)).expect("bf16");
        assert_eq!(one.number(0), AnyNumber::Float(1.0));
    }
}

#[test]
fn another_type_is_named_with_a_way_out() {
    let doubles = file("{'descr': '<f8', 'fortran_order': False, 'shape': (1,)}", &[0; 8]);
    let error = parse(&doubles).and_then(|s| s.into_array(DType::F32)).expect_err("another type");
    assert_eq!(error.message, "the numbers are float64, and f32 is needed (float32)");
    assert_eq!(error.help.as_deref(), Some("convert them in NumPy: np.save(file, a.astype(np.float32))"));
    let error = parse(&doubles).and_then(|s| s.into_array(DType::Bf16)).expect_err("another type");
    assert_eq!(error.message, "the numbers are float64, and bf16 is needed (V2 or uint16)");
}

#[test]
fn bad_files_are_explained() {
    let f4 = |shape: &str| file(&format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}}}"), &[0; 7]);
    assert!(message(b"").contains("ends inside its header"));
    assert!(message(b"PK\x03\x04 something else").contains("does not start with"));
    assert!(message(b"\x93NUMPY\x09\x00\x01\x00{").contains("version 9"));
    assert!(message(&f4("(2,)")).contains("float32 2, 8 bytes, but 7 follow"));
    assert!(message(&f4("(4294967296, 4294967296)")).contains("more than memory can hold"));
    assert!(message(&f4("(99999999999999999999,)")).contains("as an extent"));
    assert!(message(&f4("(1099511627776,)")).contains("but 7 follow"));
    assert!(message(&f4("(-1,)")).contains("`-1,)"));
    assert!(message(&file("{'descr': '<c8', 'fortran_order': False, 'shape': ()}", &[])).contains("'<c8'"));
    assert!(message(&file("{'descr': [('a', '<f4')], 'shape': ()}", &[])).contains("has fields"));
    assert!(message(&file("{'descr': '<f4', 'shape': ()}", &[])).contains("not all of"));
    assert!(message(&file("{'descr': '<f4", &[])).contains("without an end"));
    assert!(message(b"\x93NUMPY\x02\x00\xff\xff\xff\xff{").contains("4294967295 bytes"));
}

/// Any bytes give a result or an error.
#[test]
fn random_changes_never_panic() {
    let good = file("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }      \n", &[1; 24]);
    let mut rng = pto_testkit::random::Random(5);
    for _ in 0..20_000 {
        let mut bytes = good.clone();
        for _ in 0..1 + rng.below(4) {
            let at = rng.below(bytes.len());
            bytes[at] = b"0123456789'(){}:,<>|TFuifVL \xff\x00"[rng.below(29)];
        }
        bytes.truncate(bytes.len() - rng.below(3));
        if let Ok(stored) = parse(&bytes) {
            assert!((0..stored.count()).all(|i| stored.number(i).to_f64() != 1e300));
        }
    }
}
